"""Print the demonstration: headings, sentences, tables, and a line of progress while it waits."""

import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

WIDTH = 78
SILENCE_S = 2.5
"""A line of progress is printed on a terminal after so long without any other."""

SILENCE_IN_FILE_S = 20.0
"""The same where nobody waits: in a file or a pipe."""

_NUMBER = re.compile(r"-?[\d,.]+( €| %| s)?")


class Console:
    """Standard output, with the time of the last line and the name of what is being done."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._printed_at = time.monotonic()
        self._activity = "working"
        self._began_at = self._printed_at

    def print(self, text: str) -> None:
        """Print text and remember when."""
        with self._lock:
            print(text, flush=True)
            self._printed_at = time.monotonic()

    def begin(self, activity: str) -> None:
        """Name the present step."""
        self._activity, self._began_at = activity, time.monotonic()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Print a line of progress whenever nothing was printed for too long."""
        over = threading.Event()
        silence_s = SILENCE_S if sys.stdout.isatty() else SILENCE_IN_FILE_S

        def watch() -> None:
            while not over.wait(0.1):
                if time.monotonic() - self._printed_at > silence_s:
                    seconds = time.monotonic() - self._began_at
                    self.print(f"    ... {self._activity}, {seconds:.0f} s so far")

        thread = threading.Thread(target=watch, name="progress", daemon=True)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


console = Console()


def euros(cents: int) -> str:
    """Return an amount as text: 1,234.50 €."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02} €"


def listed(words: Iterable[Any]) -> str:
    """Return words as an English list: "1, 2 and 3"; "none" without any."""
    *first, last = [*map(str, words)] or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def counted(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun: "1 bet", "1,200 bets"."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def heading(text: str) -> None:
    """Print the title of a chapter or of a part of it."""
    console.begin(text.partition(":")[0].lower())
    console.print(f"\n{text}\n{'─' * min(WIDTH, len(text))}")


def doing(activity: str) -> None:
    """Name the present step for the lines of progress."""
    console.begin(activity)


def step(text: str) -> None:
    """Print one event of the story."""
    console.print(f"  · {text}")


def note(text: str) -> None:
    """Print a line that belongs to the event before it."""
    console.print(f"    {text}")


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print aligned columns; a column whose cells are all numbers or amounts stands to the right.

    A header of empty words is left out.
    """
    body = [[str(cell) for cell in row] for row in rows]
    lines = [list(header), *body]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    right = [all(_is_number(row[column]) for row in body) for column in range(len(header))]
    printed = []
    for line in lines:
        cells = [
            cell.rjust(width) if to_the_right else cell.ljust(width)
            for cell, width, to_the_right in zip(line, widths, right, strict=True)
        ]
        printed.append("    " + "  ".join(cells).rstrip())
    printed.insert(1, "    " + "  ".join("─" * width for width in widths))
    console.print("\n".join(printed if any(header) else printed[2:]))


def _is_number(text: str) -> bool:
    return text in {"", "—"} or _NUMBER.fullmatch(text) is not None

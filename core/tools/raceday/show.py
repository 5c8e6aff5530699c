"""What the race day prints: figures as the API gives them, laid out for a console."""

from collections.abc import Iterable, Sequence
from typing import Any

WIDTH = 78


def euros(cents: int) -> str:
    return f"{cents // 100:,}.{cents % 100:02} €"


def heading(text: str) -> None:
    print(f"\n{text}\n{'─' * min(WIDTH, len(text))}", flush=True)


def step(text: str) -> None:
    print(f"  · {text}", flush=True)


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Columns as wide as they need, numbers to the right."""
    shown = [list(map(str, header)), *[list(map(str, row)) for row in rows]]
    widths = [max(len(row[column]) for row in shown) for column in range(len(header))]
    for number, row in enumerate(shown):
        cells = [
            cell.rjust(width) if _is_number(shown[-1][column]) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("    " + "  ".join(cells).rstrip())
        if number == 0:
            print("    " + "  ".join("─" * width for width in widths))


def _is_number(text: str) -> bool:
    return text[:1].isdigit() or text[:1] == "-"

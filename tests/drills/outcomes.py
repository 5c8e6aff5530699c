"""The outcome of each drill: as JSON, as a table, and as docs/drills.md.

`python -m tests.drills.outcomes` writes docs/drills.md from var/drill.json. Of drills that
are not there it keeps what the page said.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path

from core.tools.embedded.server import ROOT
from tests.bench.pairs import percentile

_HEAD = (
    "| drill | rounds | lost | invented | first sale, 95 % | twin lost | passed |",
    "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
)
_ROW = r"^\| (\w+) \| \d.*$"
_RUN = r"^\* \*\*(\w+)\*\*: .*(?:\n    \* .*)*"
FIGURES, PAGE = ROOT / "var" / "drill.json", ROOT / "docs" / "drills.md"


@dataclass(slots=True)
class Outcome:
    """Figures of a drill. `twin_lost` is what its twin lost; None where it has no twin.

    `lost` are answered acts that the database has not; `invented` rows that nobody asked for.
    `first_sales_s` are the times from the fault to the first sale that was tried after it.
    """

    rounds: int = 0
    lost: int = 0
    invented: int = 0
    first_sales_s: list[float] = field(default_factory=list)
    passed: bool = False
    twin_lost: int | None = None
    notes: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    seed: int = 0
    done_on: str = ""
    where: str = ""

    def end(self, seconds: float, seed: int, network: str) -> None:
        """Note how long it took, when, and on what."""
        self.seconds, self.seed = round(seconds, 1), seed
        self.done_on = datetime.now(UTC).date().isoformat()
        self.where = f"{network}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.0f}"

    @property
    def first_sale_p95_s(self) -> float | None:
        """The 95th percentile of the times to the first sale, None where there is none."""
        return round(percentile(self.first_sales_s, 0.95), 2) if self.first_sales_s else None

    def as_json(self) -> dict[str, object]:
        """Return the figures by name."""
        every = asdict(self)
        every["first_sale_p95_s"] = self.first_sale_p95_s
        return every


def counted(words: Mapping[str, int]) -> str:
    """Return how often each word was met: "502 5 times, 503 once"; "none" if there is none."""
    times = {1: "once", 2: "twice"}
    parts = (f"{word} {times.get(count, f'{count} times')}" for word, count in words.items())
    return ", ".join(parts) or "none"


def write(target: Path, outcomes: Mapping[str, Outcome], seed: int) -> None:
    """Write the figures by drill. Those of other drills, from earlier runs, stay."""
    target.parent.mkdir(parents=True, exist_ok=True)
    drills = {name: outcome.as_json() for name, outcome in {**recorded(target), **outcomes}.items()}
    target.write_text(json.dumps({"seed": seed, **drills}, indent=1) + "\n")


def recorded(target: Path) -> dict[str, Outcome]:
    """Return what the last run of each drill wrote there."""
    if not target.exists():
        return {}
    names = {each.name for each in fields(Outcome)}
    return {
        name: Outcome(**{word: value for word, value in values.items() if word in names})
        for name, values in json.loads(target.read_text()).items()
        if isinstance(values, dict)
    }


def table(outcomes: Mapping[str, Outcome]) -> str:
    """Return a table in Markdown."""
    return "\n".join([*_HEAD, *_rows(outcomes).values()])


def _rows(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Return the rows of that table, by drill."""
    lines = {}
    for name, outcome in outcomes.items():
        p95 = outcome.first_sale_p95_s
        cells = (
            name,
            outcome.rounds,
            outcome.lost,
            outcome.invented,
            "" if p95 is None else f"{p95:.1f} s",
            "" if outcome.twin_lost is None else outcome.twin_lost,
            "yes" if outcome.passed else "NO",
        )
        lines[name] = f"| {' | '.join(map(str, cells))} |"
    return lines


def page(outcomes: Mapping[str, Outcome], before: str = "") -> str:
    """Return docs/drills.md.

    `before` is the page so far: drills that are not in `outcomes` keep what it says of them.
    """
    rows = {m[1]: m[0] for m in re.finditer(_ROW, before, re.MULTILINE)} | _rows(outcomes)
    runs = {m[1]: m[0] for m in re.finditer(_RUN, before, re.MULTILINE)} | _runs(outcomes)
    lines = [
        "# The last run of each drill",
        "",
        "Written by `make drill`, or by `python -m tests.drills.outcomes` from `var/drill.json`;",
        "[Drills](operations/drills.md#drills) says what each drill does and when it passes.",
        "",
        *_HEAD,
        *rows.values(),
        "",
        *runs.values(),
    ]
    return "\n".join(lines) + "\n"


def _runs(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Return by drill when and how it was done, with its figures and notes."""
    lines = {}
    for name, outcome in outcomes.items():
        figures = ", ".join(f"{word} {value:g}" for word, value in outcome.figures.items())
        run = f"{outcome.done_on}, seed {outcome.seed}, {outcome.where}, {outcome.seconds:.0f} s."
        head = f"* **{name}**: {run}{f' Figures: {figures}.' if figures else ''}"
        lines[name] = "\n".join([head, *(f"    * {note}" for note in outcome.notes)])
    return lines


if __name__ == "__main__":
    PAGE.write_text(page(recorded(FIGURES), PAGE.read_text()))

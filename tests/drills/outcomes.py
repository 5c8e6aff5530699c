"""The outcome of each drill: as JSON, as a table, and as docs/drills.md."""

import json
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.bench.pairs import percentile


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

    @property
    def first_sale_p95_s(self) -> float | None:
        """The 95th percentile of the times to the first sale, None where there is none."""
        return round(percentile(self.first_sales_s, 0.95), 2) if self.first_sales_s else None

    def as_json(self) -> dict[str, object]:
        """Return the figures by name."""
        every = asdict(self)
        every["first_sale_p95_s"] = self.first_sale_p95_s
        return every


def write(target: Path, outcomes: Mapping[str, Outcome], seed: int) -> None:
    """Write the figures by drill."""
    target.parent.mkdir(parents=True, exist_ok=True)
    drills = {name: outcome.as_json() for name, outcome in outcomes.items()}
    target.write_text(json.dumps({"seed": seed, **drills}, indent=1) + "\n")


def table(outcomes: Mapping[str, Outcome]) -> str:
    """Return a table in Markdown."""
    lines = [
        "| drill | rounds | lost | invented | first sale, 95 % | twin lost | passed |",
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
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
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def page(outcomes: Mapping[str, Outcome], seed: int, network: str) -> str:
    """Return docs/drills.md."""
    notes = [
        f"* **{name}** ({outcome.seconds:.0f} s): {note}"
        for name, outcome in outcomes.items()
        for note in outcome.notes
    ]
    return "\n".join(
        [
            "# The last run of the drills",
            "",
            "`make drill` writes this page; [operations.md](operations.md#drills) says what each"
            " drill does and when it passes.",
            "",
            f"{datetime.now(UTC).date().isoformat()}, seed {seed}, {network}, {platform.system()}"
            f" {platform.machine()}, Python {platform.python_version()}.",
            "",
            table(outcomes),
            "",
            *notes,
            "",
        ]
    )

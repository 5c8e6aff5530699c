"""Divide the organiser's share into its parts. Both games divide it this way (15.III.5.1).

Each game has its own percentages, as dated data.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction

from core.kernel.money import parse_percent, split


class Part(StrEnum):
    """A purpose of the organiser's share (14.III.6.1)."""

    COMMISSION = "commission"
    MANAGEMENT = "management"
    TAX = "tax"
    REMAINDER = "remainder"


@dataclass(frozen=True, slots=True)
class OrganiserShare:
    """The division of the organiser's share from a day on, in percentages that sum to 100."""

    in_force_from: date
    source: str
    percents: Mapping[str, Fraction]

    def divide(self, cents: int) -> dict[Part, int]:
        """Return the parts in cents, each rounded down. The remainder takes the cents left over."""
        parts = split(cents, self.percents, remainder_to=Part.REMAINDER)
        return {part: parts[part] for part in Part}


def shares_from(text: str) -> tuple[OrganiserShare, ...]:
    """Return the versions in a game's data file (JSON), oldest first. Raises ValueError."""
    versions = [
        OrganiserShare(
            in_force_from=date.fromisoformat(version["in_force_from"]),
            source=version["source"],
            percents={part: parse_percent(version["parts"][part]) for part in Part},
        )
        for version in json.loads(text)["versions"]
    ]
    for version in versions:
        if sum(version.percents.values()) != 100:
            raise ValueError(f"{version.source}: the organiser's parts do not sum to 100")
    return tuple(sorted(versions, key=lambda version: version.in_force_from))


def share_in_force(versions: Sequence[OrganiserShare], day: date) -> OrganiserShare:
    """Return the division in force on a day; the first version for days before it."""
    since = [version for version in versions if version.in_force_from <= day]
    return since[-1] if since else versions[0]

"""Divide the organiser's share into its parts. Both games divide it this way (15.III.5.1).

Each game has its own percentages, as dated data.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from fractions import Fraction

from core.kernel.documents import Table, versions
from core.kernel.errors import Invalid
from core.kernel.money import split


class Part(StrEnum):
    """A purpose of the organiser's share (14.III.6.1)."""

    COMMISSION = "commission"
    MANAGEMENT = "management"
    TAX = "tax"
    REMAINDER = "remainder"


class OrganiserShareRefused(Invalid):
    """The division is malformed, or its parts do not sum to 100; `data["place"]` says where."""

    code = "organiser_share_refused"
    message = "The division of the organiser's share is not valid."


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
    """Return the versions in a game's data file (JSON), oldest first.

    Raises NotJson, OrganiserShareRefused.
    """
    dated = [
        _share(Table(version, f"$.versions[{at}]", OrganiserShareRefused))
        for at, version in enumerate(versions(text, OrganiserShareRefused))
    ]
    return tuple(sorted(dated, key=lambda version: version.in_force_from))


def _share(table: Table) -> OrganiserShare:
    share = OrganiserShare(
        in_force_from=table.day("in_force_from"),
        source=table.text("source"),
        percents=table.table("parts", lambda parts: {part: parts.percent(part) for part in Part}),
    )
    table.finish()
    if sum(share.percents.values()) != 100:
        raise table.wrong("parts", "the organiser's parts do not sum to 100")
    return share


def share_in_force(versions: Sequence[OrganiserShare], day: date) -> OrganiserShare:
    """Return the division in force on a day; the first version for days before it."""
    since = [version for version in versions if version.in_force_from <= day]
    return since[-1] if since else versions[0]

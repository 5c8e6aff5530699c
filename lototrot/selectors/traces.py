"""Return the number on which each mark of a ticket counts, as in "4 to 5 to 6" (14.III.5.4.1)."""

from dataclasses import dataclass

from lototrot.engine.races import numbers_of, substitute
from lototrot.models.contest import ContestLeg
from lototrot.models.tickets import Ticket
from lototrot.selectors.races import race_records


@dataclass(frozen=True, slots=True)
class Mark:
    """A marked number, and all numbers from it to the one on which the bet counts."""

    number: int
    trace: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LegTrace:
    """The marks of one leg of a ticket, ascending."""

    position: int
    race_id: int
    marks: tuple[Mark, ...]


def ticket_trace(ticket: Ticket) -> tuple[LegTrace, ...]:
    """Return the legs of a ticket in order, each mark with its substitutions by the present record.

    The substitutions can change before the start. They are final after the classification or the
    draw.
    """
    legs = ContestLeg.objects.filter(contest_id=ticket.contest_id).order_by("position")
    races = list(legs.values_list("race_id", flat=True))
    records = race_records(races)
    traced = []
    for position, (race, mask) in enumerate(zip(races, ticket.legs(), strict=True), start=1):
        facts = records[race].facts()
        marks = tuple(Mark(n, substitute(n, facts)) for n in numbers_of(mask))
        traced.append(LegTrace(position, race, marks))
    return tuple(traced)

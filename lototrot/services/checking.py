"""What a presented ticket is worth and why: its marks, their way, and what won (14.III.5.4, 9)."""

import dataclasses

from core.premises.access import Capability, TerminalActor
from core.staff.actor import StaffActor
from core.staff.powers import Role, define
from lototrot.models.contest import ContestLeg
from lototrot.models.programme import Race
from lototrot.models.tickets import Ticket
from lototrot.selectors.races import race_records
from lototrot.selectors.traces import Mark, ticket_trace
from lototrot.services.lookup import TicketStatus, ticket_by_code, ticket_status

CHECK = define("lototrot.ticket.check", Role.ORGANISER, Role.AUDITOR, Role.SUPERVISOR, Role.CASHIER)


@dataclasses.dataclass(frozen=True, slots=True)
class CheckedLeg:
    """A race of a presented ticket. `winners` is empty while there is no result."""

    position: int
    race: Race
    quick_pick: bool
    marks: tuple[Mark, ...]
    winners: tuple[int, ...]

    @property
    def right(self) -> tuple[int, ...]:
        """The marked numbers that are right, dead heats and substitutions included."""
        return tuple(mark.number for mark in self.marks if mark.counts_on in self.winners)


@dataclasses.dataclass(frozen=True, slots=True)
class Checked:
    """A presented ticket: its state, and its races in order."""

    status: TicketStatus
    legs: tuple[CheckedLeg, ...]


def ticket_check(*, by: TerminalActor | StaffActor, presented_code: str) -> Checked:
    """What became of a presented ticket, for whoever may check tickets.

    Raises TerminalCannot or PowerMissing, CodeMalformed, CodeMistyped, CodeForged, TicketNotFound.
    """
    if isinstance(by, StaffActor):
        by.need(CHECK)
    else:
        by.need(Capability.CHECK)
    ticket = ticket_by_code(presented_code)
    return Checked(status=ticket_status(ticket), legs=_legs(ticket))


def _legs(ticket: Ticket) -> tuple[CheckedLeg, ...]:
    races = {
        leg.race_id: leg.race
        for leg in ContestLeg.objects.filter(contest_id=ticket.contest_id).select_related(
            "race__racecourse"
        )
    }
    records = race_records(list(races))
    return tuple(
        CheckedLeg(
            position=leg.position,
            race=races[leg.race_id],
            quick_pick=bool(ticket.quick_legs >> (leg.position - 1) & 1),
            marks=leg.marks,
            winners=tuple(sorted(records[leg.race_id].facts().winners)),
        )
        for leg in ticket_trace(ticket)
    )

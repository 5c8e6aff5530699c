"""What staff and terminals ask after the sale: what a ticket is worth and why, who won."""

import dataclasses

from django.db.models import QuerySet

from core.premises.access import Capability, TerminalActor
from core.staff.actor import StaffActor
from core.staff.powers import Role, define
from lototrot.models.contest import Contest, ContestLeg
from lototrot.models.programme import Race
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Ticket
from lototrot.selectors.races import race_records
from lototrot.selectors.settlements import settlement_in_force, winning_tickets
from lototrot.selectors.traces import Mark, ticket_trace
from lototrot.services.breach import breach_pending
from lototrot.services.contests import contest_get
from lototrot.services.lookup import TicketStatus, ticket_by_code, ticket_status
from lototrot.services.settlement import BreachPending, settleable

CHECK = define("lototrot.ticket.check", Role.ORGANISER, Role.AUDITOR, Role.SUPERVISOR, Role.CASHIER)
LIST = define("lototrot.prizes.list", Role.ORGANISER, Role.AUDITOR)
SETTLE = define("lototrot.settlement.request", Role.ORGANISER)


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


def winning_tickets_list(*, by: StaffActor, contest_id: int) -> QuerySet[Prize]:
    """The winning tickets of the settlement in force, by ticket.

    Raises PowerMissing, SettlementUnknown.
    """
    by.need(LIST)
    return winning_tickets(settlement_in_force(contest_id).pk)


def settlement_request(*, by: StaffActor, contest_id: int) -> Contest:
    """The contest, if it can be settled now or is settled; a worker is then to be told.

    Raises PowerMissing, ContestUnknown, and as `settlement.contest_settle` does.
    """
    by.need(SETTLE)
    contest = contest_get(contest_id)
    if contest.state not in (Contest.State.SETTLED, Contest.State.ORDERED):
        settleable(contest)
        if breach_pending(contest.pk):
            raise BreachPending(contest=contest.pk)
    return contest

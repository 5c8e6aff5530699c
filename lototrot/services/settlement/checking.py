"""Answer the questions of staff after the sale: who won, and whether a contest can be settled."""

from django.db.models import QuerySet

from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize
from lototrot.selectors.breaches import breach_pending
from lototrot.selectors.contests import contest_get
from lototrot.selectors.retired import need_all
from lototrot.selectors.settlement.settlements import settlement_in_force, winning_tickets
from lototrot.services.settlement.settling import BreachPending, settleable


def winning_tickets_list(
    *, by: StaffActor, contest_id: int, from_cents: int = 0
) -> QuerySet[Prize]:
    """Return the winning tickets of the settlement in force, by ticket: those whose prize is of at
    least so many cents.

    Raise PowerMissing, SettlementUnknown or TicketsArchived.
    """
    by.need(powers.LIST_PRIZES)
    settlement = settlement_in_force(contest_id)
    need_all(contest_id)
    return winning_tickets(settlement.pk).filter(prize_cents__gte=from_cents)


def settlement_request(*, by: StaffActor, contest_id: int) -> Contest:
    """Return the contest, if it can be settled now or is settled. The caller then starts a worker.

    Raise PowerMissing, ContestUnknown, and the errors of `settling.contest_settle`.
    """
    by.need(powers.REQUEST_SETTLEMENT)
    contest = contest_get(contest_id)
    if contest.state not in Contest.WITH_SETTLEMENT:
        settleable(contest)
        if breach_pending(contest.pk):
            raise BreachPending(contest=contest.pk)
    return contest

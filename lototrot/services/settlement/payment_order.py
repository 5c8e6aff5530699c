"""Order the payment of prizes: once, by two persons, and irrevocably (14.III.8.2)."""

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.engine.dates import first_pay_day, last_claim_day
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder, Settlement
from lototrot.services.contest.contests import contest_get, figures_of
from lototrot.services.races.results import contest_results
from lototrot.services.settlement.certificate import payment_order_publish


class NothingToOrder(Conflict):
    code = "nothing_to_order"
    message = "Payment is ordered once the contest is settled, and only once (14.III.8.2)."


class SettlementChanged(Conflict):
    code = "settlement_changed"
    message = "The contest has been settled again since the proposal. Propose the order again."


@transaction.atomic
def payment_order_propose(*, by: StaffActor, contest_id: int) -> Proposal:
    """Propose to order the payment of the settlement in force.

    Another person gives the order by confirming it. Raise ContestUnknown or NothingToOrder.
    """
    by.need(powers.ORDER_PAYMENT)
    settlement = _orderable(contest_get(contest_id))
    return two_persons.propose(
        kind=PAYMENT_ORDER,
        subject=f"contest:{contest_id}",
        by=by,
        content={
            "contest": contest_id,
            "settlement": str(settlement.uuid),
            "prizes_cents": settlement.prizes_cents,
            "winning_tickets": settlement.winning_tickets,
        },
    )


def _orderable(contest: Contest) -> Settlement:
    settlement: Settlement | None = contest.settlements.filter(in_force=True).first()
    if contest.state != Contest.State.SETTLED or settlement is None:
        raise NothingToOrder(contest=contest.pk, state=contest.state)
    return settlement


def _order(proposal: Proposal, by: StaffActor) -> None:
    """Give the order. Its dates follow from the day of the last established result [D1, D2, D5]."""
    contest_id = proposal.content["contest"]
    hold((Lock.CONTEST, contest_id))
    contest = contest_get(contest_id)
    settlement = _orderable(contest)
    if str(settlement.uuid) != proposal.content["settlement"]:
        raise SettlementChanged(contest=contest_id)
    # The contest is settled, so these are the results that its settlement used.
    results_day = contest_results(contest).results_day
    order = PaymentOrder.objects.create(
        contest=contest,
        settlement=settlement,
        proposal=proposal,
        ordered_at=clock.now(),
        results_day=results_day,
        # The races of a meeting that was called off may be drawn before its day.
        first_pay_day=first_pay_day(contest.day, max(contest.day, results_day)),
        last_claim_day=last_claim_day(results_day, figures_of(contest.day).lototrot.claim_days),
    )
    Contest.objects.filter(pk=contest_id, state=Contest.State.SETTLED).update(
        state=Contest.State.ORDERED
    )
    payment_order_publish(order)


PAYMENT_ORDER = two_persons.Kind("lototrot.payment_order", powers.ORDER_PAYMENT, _order)

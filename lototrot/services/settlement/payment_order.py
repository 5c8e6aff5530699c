"""Order the payment of prizes: once, by two persons, and irrevocably (14.III.8.2) [D7]."""

from dataclasses import dataclass
from datetime import date

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict
from core.kernel.request_uuids import derived_uuid
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.engine.dates import first_pay_day, last_claim_day
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder, Settlement
from lototrot.selectors.breaches import breach_pending
from lototrot.selectors.contests import contest_get, figures_of
from lototrot.selectors.settlement.results import contest_results
from lototrot.services.settlement.breach import need_no_correction
from lototrot.services.settlement.certificate import payment_order_publish
from lototrot.services.settlement.early import early_claims_value
from lototrot.services.settlement.settling import BreachPending


class NothingToOrder(Conflict):
    code = "nothing_to_order"
    message = "Payment is ordered once the contest is settled, and only once (14.III.8.2)."


class SettlementChanged(Conflict):
    code = "settlement_changed"
    message = "The contest has been settled again since the proposal. Propose the order again."


class OrderDaysMoved(Conflict):
    """`data`: last_claim_day of the proposal, and of an order given today."""

    code = "order_days_moved"
    message = "An order given today has a later last day to claim than the proposal says [D7]."


@dataclass(frozen=True, slots=True)
class OrderDays:
    """The days that an order fixes [D1, D2, D5, D7].

    `late_days` says by how many days the order comes too late for the ordinary last day to claim,
    which moves by as many.
    """

    results_day: date
    first_pay_day: date
    last_claim_day: date
    claim_days: int
    late_days: int

    def to_content(self) -> dict[str, str | int]:
        """Return the days as the part of a proposal that two persons see and confirm."""
        return {
            "results_day": self.results_day.isoformat(),
            "first_pay_day": self.first_pay_day.isoformat(),
            "last_claim_day": self.last_claim_day.isoformat(),
            "late_days": self.late_days,
        }


def order_days(contest: Contest, order_day: date) -> OrderDays:
    """Return the days of an order given on `order_day` for a settled contest. Raise ResultsMissing
    where a withdrawal was entered or reversed since, and no classification has that yet [B14].
    """
    results_day = contest_results(contest).results_day
    claim_days = figures_of(contest.day).lototrot.claim_days
    ordinary = last_claim_day(contest.day, results_day, claim_days)
    last = last_claim_day(contest.day, results_day, claim_days, order_day=order_day)
    return OrderDays(
        results_day=results_day,
        first_pay_day=first_pay_day(contest.day, results_day),
        last_claim_day=last,
        claim_days=claim_days,
        late_days=(last - ordinary).days,
    )


@transaction.atomic
def payment_order_propose(*, by: StaffActor, contest_id: int) -> Proposal:
    """Propose to order the payment of the settlement in force.

    The proposal names the days that the order would fix and how late it is. Another person gives
    the order by confirming it. Raise ContestUnknown, NothingToOrder, BreachPending [C9],
    CorrectionWaits [B14] or ResultsMissing.
    """
    by.need(powers.ORDER_PAYMENT)
    contest = contest_get(contest_id)
    settlement = _orderable(contest)
    return two_persons.propose(
        kind=PAYMENT_ORDER,
        subject=f"contest:{contest_id}",
        by=by,
        content={
            "contest": contest_id,
            "settlement": str(settlement.uuid),
            "prizes_cents": settlement.prizes_cents,
            "winning_tickets": settlement.winning_tickets,
            **order_days(contest, natural_day(clock.now())).to_content(),
        },
    )


def _orderable(contest: Contest) -> Settlement:
    settlement: Settlement | None = contest.settlements.filter(in_force=True).first()
    if contest.state != Contest.State.SETTLED or settlement is None:
        raise NothingToOrder(contest=contest.pk, state=contest.state)
    if breach_pending(contest.pk):
        raise BreachPending(contest=contest.pk)
    need_no_correction(contest, of_results=True)
    return settlement


def _order(proposal: Proposal, by: StaffActor) -> None:
    """Give the order, with the days that the proposal named.

    Raise NothingToOrder, BreachPending, CorrectionWaits, ResultsMissing, SettlementChanged, or
    OrderDaysMoved if a late order has waited for its second person past a midnight.
    """
    contest_id = proposal.content["contest"]
    hold((Lock.CONTEST, contest_id))
    contest = contest_get(contest_id)
    settlement = _orderable(contest)
    if str(settlement.uuid) != proposal.content["settlement"]:
        raise SettlementChanged(contest=contest_id)
    now = clock.now()
    days = order_days(contest, natural_day(now))
    if days.last_claim_day.isoformat() != proposal.content["last_claim_day"]:
        raise OrderDaysMoved(
            proposed=proposal.content["last_claim_day"],
            last_claim_day=days.last_claim_day.isoformat(),
        )
    order = PaymentOrder.objects.create(
        contest=contest,
        settlement=settlement,
        proposal=proposal,
        ordered_at=now,
        results_day=days.results_day,
        first_pay_day=days.first_pay_day,
        last_claim_day=days.last_claim_day,
        claim_days=days.claim_days,
    )
    early_claims_value(order, derived_uuid(proposal.uuid, "lototrot.early"))
    Contest.objects.filter(pk=contest_id, state=Contest.State.SETTLED).update(
        state=Contest.State.ORDERED
    )
    payment_order_publish(order)


PAYMENT_ORDER = two_persons.Kind("lototrot.payment_order", powers.ORDER_PAYMENT, _order)

"""Return settlements with their figures, their winning tickets, and the balances of a chain."""

from dataclasses import dataclass

from django.db.models import QuerySet

from core.database import clock
from core.kernel.errors import NotFound
from core.ledger.services import balance_cents
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize, Settlement
from lototrot.selectors.settlement.chains import holds_chain


class SettlementUnknown(NotFound):
    code = "settlement_unknown"
    message = "The contest has no such settlement."


@dataclass(frozen=True, slots=True)
class ChainBalances:
    """The balances that pass from meeting to meeting, in cents, as the ledger has them now.

    `next_contest_id` is the first contest of the chain that is not settled, if there is one.
    `lapsed_cents` are the unclaimed prizes carried over into it so far (14.III.10.7).
    """

    bet_type_code: str
    jackpot_cents: int
    reserve_cents: int
    next_contest_id: int | None
    lapsed_cents: int


def settlements() -> QuerySet[Settlement]:
    """Return all settlements with their contests, categories and payment orders.

    `figures` has every figure of the rulebook's section 2, `rules` the bet type as applied, and
    `races` the results. Settlements that are not in force were reversed [B14].
    """
    return Settlement.objects.select_related(
        "contest", "payment_order", "reversed_by"
    ).prefetch_related("categories")


def settlements_of(contest_id: int) -> QuerySet[Settlement]:
    """Return all settlements of a contest, newest first."""
    return settlements().filter(contest_id=contest_id).order_by("-number")


def settlement_in_force(contest_id: int) -> Settlement:
    """Return the settlement of a contest that is in force.

    Raise SettlementUnknown if there is none.
    """
    settlement = settlements_of(contest_id).filter(in_force=True).first()
    if settlement is None:
        raise SettlementUnknown(contest=contest_id)
    return settlement


def winning_tickets(settlement_id: int) -> QuerySet[Prize]:
    """Return the prize rows of a settlement with their tickets, by ticket, for reading in pages.

    Those whose tickets left with a retired month are not among them.
    """
    return (
        Prize.objects.filter(settlement_id=settlement_id)
        .select_related("ticket__premises")
        .order_by("settlement_id", "ticket_id")
    )


def chain_balances(bet_type_code: str) -> ChainBalances:
    """Return the jackpot and the reserve of a chain, and the carry-over into its next meeting."""
    holding = Contest.objects.filter(holds_chain(clock.now()), bet_type_code=bet_type_code)
    coming = holding.exclude(state=Contest.State.SETTLED)
    following = coming.order_by("day").values_list("pk", flat=True).first()
    return ChainBalances(
        bet_type_code=bet_type_code,
        jackpot_cents=balance_cents(accounts.jackpot(bet_type_code)),
        reserve_cents=balance_cents(accounts.reserve(bet_type_code)),
        next_contest_id=following,
        lapsed_cents=balance_cents(accounts.lapsed(following)) if following else 0,
    )

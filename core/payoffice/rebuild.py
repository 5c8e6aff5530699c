"""The office's money anew, from claims and the acts behind them, for `ledger_rebuild`.

What a claim was owed the game says (`Source.claimed`); to whom it went the payments do. Between
the two stands an account of the rebuilding alone, which must come out at nothing.
"""

from collections.abc import Iterator

from django.db.models import F, Sum

from core.kernel.regulation import Means
from core.ledger.books import Books, Rebuilder
from core.ledger.services import Line, liability
from core.payoffice import postings, sources
from core.payoffice.models import (
    CashMovement,
    CashSession,
    Cheque,
    Claim,
    Exchange,
    Payment,
    StockMovement,
)

_HANDED_OVER = liability("payoffice:rebuilding")
_GONE = {Claim.State.LAPSED, Claim.State.REFUSED}
_OUT = {Claim.State.PAID, Claim.State.EXCHANGED}


def rebuild_payoffice(books: Books) -> None:
    """Carry out every claim, payment, cheque, cash session and movement of stock."""
    for source in sources.all_sources():
        for claimed in source.claimed():
            to = claimed.held
            if claimed.state in _GONE:
                to = claimed.sent_to or claimed.held
            elif claimed.state in _OUT:
                to = _HANDED_OVER
            books.move([Line("payoffice.claims", claimed.owed, to, claimed.cents)])
    books.move(_payments())
    books.move(_cash())
    books.move(_goods())


def _payments() -> Iterator[Line]:
    cheque = Means.NOMINATIVE_CHEQUE.value
    by_payer = Payment.objects.exclude(means=cheque).values_list("premises_id", "cash_session_id")
    for premises, session, cents in by_payer.annotate(Sum("amount_cents")).order_by():
        yield _payment(premises, session, Means.CASH, cents)
    drawn = Payment.objects.filter(means=cheque).aggregate(cents=Sum("amount_cents"))["cents"]
    yield _payment(0, None, Means.NOMINATIVE_CHEQUE, drawn or 0)
    cashed = Cheque.objects.filter(state=Cheque.State.PRESENTED)
    cents = cashed.aggregate(cents=Sum("amount_cents"))["cents"]
    yield postings.cheque_presented(cents or 0)


def _payment(premises_id: int, session: int | None, means: Means, cents: int) -> Line:
    payer = postings.payer(premises_id=premises_id, cash_session_id=session, means=means)
    return postings.payment(refund=False, stood=_HANDED_OVER, paid_from=payer, cents=cents)


def _cash() -> Iterator[Line]:
    brought = CashMovement.objects.values_list("session_id").annotate(Sum("cents")).order_by()
    for session, cents in brought:
        yield postings.cash_moved(session, cents)
    for found in CashSession.objects.all():
        yield postings.cash_float(found.pk, found.float_cents)
        if found.counted_cents is not None:
            yield from postings.cash_counted(
                found.pk,
                counted_cents=found.counted_cents,
                difference_cents=found.difference_cents or 0,
            )


def _goods() -> Iterator[Line]:
    value = Sum(F("units") * F("item__equivalent_cents"))
    taken_in = StockMovement.objects.filter(exchange=None).aggregate(cents=value)["cents"]
    yield postings.goods_moved(taken_in or 0)
    handed = Exchange.objects.aggregate(cents=Sum("claim__amount_cents"))["cents"]
    yield postings.exchange(stood=_HANDED_OVER, cents=handed or 0)


REBUILDERS: tuple[Rebuilder, ...] = (rebuild_payoffice,)

"""The office's money anew, from claims and the acts behind them, for `ledger_rebuild`.

What a claim was owed the game says (`Source.claimed`); to whom it went the payments do. Between
the two stands an account of the rebuilding alone, which must come out at nothing.
"""

from collections.abc import Iterator

from django.db.models import F, Sum

from core.kernel.regulation import Means
from core.ledger.books import Books, Rebuilder
from core.ledger.services import Line, liability, premises_account
from core.payoffice import accounts, sources
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
    kind = "payoffice.payments"
    cheque = Means.NOMINATIVE_CHEQUE.value
    by_payer = Payment.objects.exclude(means=cheque).values_list("premises_id", "cash_session_id")
    for premises, session, cents in by_payer.annotate(Sum("amount_cents")).order_by():
        payer = accounts.cash(session) if session else premises_account(premises)
        yield Line(kind, _HANDED_OVER, payer, cents)
    drawn = Payment.objects.filter(means=cheque).aggregate(cents=Sum("amount_cents"))["cents"]
    yield Line(kind, _HANDED_OVER, accounts.cheques(), drawn or 0)
    cashed = Cheque.objects.filter(state=Cheque.State.PRESENTED)
    cents = cashed.aggregate(cents=Sum("amount_cents"))["cents"]
    yield Line("payoffice.cheque", accounts.cheques(), accounts.treasury(), cents or 0)


def _cash() -> Iterator[Line]:
    treasury = accounts.treasury()
    brought = CashMovement.objects.values_list("session_id").annotate(Sum("cents")).order_by()
    for session, cents in brought:
        yield Line("payoffice.cash", accounts.cash(session), treasury, cents)
    for found in CashSession.objects.all():
        cash = accounts.cash(found.pk)
        yield Line("payoffice.float", cash, treasury, found.float_cents)
        if found.counted_cents is not None:
            yield Line("payoffice.count", treasury, cash, found.counted_cents)
            difference = found.difference_cents or 0
            yield Line("payoffice.difference", cash, accounts.cash_differences(), difference)


def _goods() -> Iterator[Line]:
    value = Sum(F("units") * F("item__equivalent_cents"))
    taken_in = StockMovement.objects.filter(exchange=None).aggregate(cents=value)["cents"]
    yield Line("payoffice.goods", accounts.goods(), accounts.treasury(), taken_in or 0)
    handed = Exchange.objects.aggregate(cents=Sum("claim__amount_cents"))["cents"]
    yield Line("payoffice.exchange", _HANDED_OVER, accounts.goods(), handed or 0)


REBUILDERS: tuple[Rebuilder, ...] = (rebuild_payoffice,)

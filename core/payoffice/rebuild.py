"""Rebuild the prize office's balances for `ledger_rebuild`, from claims and the acts on them.

The game says what each claim was owed (`Source.claimed`); the payments and exchanges say who paid
it. An account that exists only while rebuilding stands between the two and must end at zero.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from django.db.models import F, QuerySet, Sum
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.database.reading.asking import fetch_all
from core.kernel.regulation import Means
from core.ledger.books import Books, Rebuilder
from core.ledger.services import Line, liability
from core.payoffice import postings, sources
from core.payoffice.models import (
    CashMovement,
    CashSession,
    Cheque,
    ChequeRecovery,
    ChequeWriteOff,
    Claim,
    Exchange,
    Payment,
    StockMovement,
    VoidedChequePayment,
)
from core.payoffice.postings import PRIZE, REFUND
from core.payoffice.retired import PAYMENT_STAYS

_HANDED_OVER = liability("payoffice:rebuilding")
_OUT = {Claim.State.PAID, Claim.State.EXCHANGED}
# Who paid in cash: those that stay, and the sums of those that left with a retired month. No cheque
# left, and no payment at an office.
_PAID = f"""
SELECT s.premises_id, s.cash_session_id, sum(s.amount_cents)::bigint
  FROM (SELECT p.premises_id, p.cash_session_id, p.amount_cents FROM payoffice_payment p
         WHERE p.means <> %(cheque)s AND {PAYMENT_STAYS}
         UNION ALL
        SELECT l.premises_id, NULL, l.amount_cents * l.payments
          FROM payoffice_left_by_premises l) s
 GROUP BY 1, 2 ORDER BY 1, 2
"""


def rebuild_payoffice(books: Books) -> None:
    """Post every claim, payment, cheque, cash session and stock movement to the books."""
    for source in sources.all_sources():
        for claimed in source.claimed():
            to = claimed.held
            if claimed.state in Claim.FORFEITED:
                to = claimed.sent_to or claimed.held
            elif claimed.state in _OUT:
                to = _HANDED_OVER
            books.move([postings.claimed(owed=claimed.owed, to=to, cents=claimed.cents)])
    books.move(_payments())
    books.move(_cash())
    books.move(_goods())


def _payments() -> Iterator[Line]:
    cheque = Means.NOMINATIVE_CHEQUE.value
    by_payer = fetch_all(_PAID, {"cheque": cheque})
    for premises, session, cents in by_payer:
        yield _payment(premises, session, Means.CASH, cents)
    drawn = Payment.objects.filter(means=cheque).aggregate(cents=Sum("amount_cents"))["cents"]
    yield _payment(0, None, Means.NOMINATIVE_CHEQUE, drawn or 0)
    cashed = Cheque.objects.filter(state=Cheque.State.PRESENTED)
    cents = cashed.aggregate(cents=Sum("amount_cents"))["cents"]
    yield postings.cheque_presented(cents or 0)
    for outcome in VoidedChequePayment.Outcome:
        settled = outcome == VoidedChequePayment.Outcome.SETTLED
        posting = partial(postings.voided_cheque_paid, settled=settled)
        yield from _entries(VoidedChequePayment.objects.filter(outcome=outcome), posting)
    yield from _entries(ChequeRecovery.objects.all(), postings.loss_recovered)
    yield from _entries(ChequeWriteOff.objects.all(), postings.written_off)


def _entries(entries: QuerySet[Any], posting: Callable[..., Line]) -> Iterator[Line]:
    """Yield the sum of the entries about voided cheques, and of those that were taken back."""
    taken_back = entries.exclude(reversed_at=None)
    cents, back = (
        rows.aggregate(cents=Sum("amount_cents"))["cents"] or 0 for rows in (entries, taken_back)
    )
    yield posting(cents=cents)
    yield postings.entry_reversed(posting(cents=back))


def _payment(premises_id: int, session: int | None, means: Means, cents: int) -> Line:
    payer = postings.payer(premises_id=premises_id, cash_session_id=session, means=means)
    return postings.payment(refund=False, stood=_HANDED_OVER, paid_from=payer, cents=cents)


def _cash() -> Iterator[Line]:
    moved = CashMovement.objects.values_list("session_id").annotate(Sum("cents")).order_by()
    for session_id, cents in moved:
        yield postings.cash_moved(session_id, cents)
    for cash_session in CashSession.objects.all():
        yield postings.cash_float(cash_session.pk, cash_session.float_cents)
        if cash_session.counted_cents is not None:
            yield from postings.cash_counted(
                cash_session.pk,
                counted_cents=cash_session.counted_cents,
                difference_cents=cash_session.difference_cents or 0,
            )


def _goods() -> Iterator[Line]:
    """Yield what came in and went out at the value of now: a correction moved the books there."""
    value = Sum(F("units") * F("item__unit_cents"))
    taken_in = StockMovement.objects.filter(exchange=None).aggregate(cents=value)["cents"]
    yield postings.goods_moved(taken_in or 0)
    sums = Exchange.objects.aggregate(cents=Sum("claim__amount_cents"), out=Sum("item__unit_cents"))
    cents, unit_cents = sums["cents"] or 0, sums["out"] or 0
    yield from postings.exchange(stood=_HANDED_OVER, cents=cents, unit_cents=unit_cents)


REBUILDERS: tuple[Rebuilder, ...] = (rebuild_payoffice,)

TRANSFERS: Mapping[str, Promise] = {
    PRIZE: _("prize paid"),
    REFUND: _("refund paid"),
    "payoffice.claims": _("prize claimed"),
    "payoffice.hold": _("prize held"),
    "payoffice.refused": _("held prize refused"),
    "payoffice.restored": _("lapsed prize held again"),
    "payoffice.cheque": _("cheque cashed"),
    "payoffice.cheque_reversed": _("voided cheque that the payee cashed, taken back as a mistake"),
    "payoffice.voided_cheque": _("voided cheque paid by the bank"),
    "payoffice.voided_cheque_reversed": _("voided cheque paid, taken back as a mistake"),
    "payoffice.recovery": _("loss by a voided cheque given back"),
    "payoffice.recovery_reversed": _("loss given back, taken back as a mistake"),
    "payoffice.write_off": _("loss by a voided cheque written off"),
    "payoffice.write_off_reversed": _("write-off taken back"),
    "payoffice.float": _("float of a cash session"),
    "payoffice.cash": _("cash brought or taken"),
    "payoffice.count": _("cash counted at the close"),
    "payoffice.difference": _("difference in cash"),
    "payoffice.exchange": _("prize in kind exchanged"),
    "payoffice.goods": _("goods bought or written off"),
    "payoffice.goods_out": _("goods handed over"),
    "payoffice.goods_corrected": _("value of goods corrected"),
}
"""The words for each kind of transfer."""

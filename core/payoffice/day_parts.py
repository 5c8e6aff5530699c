"""Write the prize office's part of a day file, and replay it.

The part holds the acts on claims, the cash sessions, the cheques and the stock of that day.
"""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Model, Q, Sum

from core.database import clock
from core.kernel.days import natural_day
from core.ledger.services import AccountCode, Line
from core.payoffice import accounts, postings, sources
from core.payoffice.models import (
    CashMovement,
    CashSession,
    Cheque,
    Claim,
    DepositMatch,
    Exchange,
    Payment,
    Presentation,
    Ruling,
    StockMovement,
)
from core.payoffice.sources import DocumentUnknown, Nature, Payable, Source
from core.reports.parts import Event, Part, Span, balance_cents, nothing, post

Data = Mapping[str, Any]
State = Claim.State
_OVER = (State.PAID, State.EXCHANGED, State.LAPSED, State.REFUSED)
# The acts on claims: model, field of the time, state of the claim afterwards (empty: the verdict).
_ACTS: tuple[tuple[type[Model], str, str], ...] = (
    (Presentation, "presented_at", State.PRESENTED),
    (DepositMatch, "matched_at", State.HELD),
    (Ruling, "decided_at", ""),
    (Exchange, "exchanged_at", State.EXCHANGED),
    (Payment, "paid_at", State.PAID),
)


_SAME_ACT = datetime.timedelta(seconds=5)
"""An act and the claim it opens share a transaction, but not the instant."""


def history(claim: Claim) -> list[tuple[datetime.datetime, str]]:
    """Return the states that the claim has had, each with the instant it began, oldest first.

    A claim that no act opened begins as lapsed or, if a breach blocked its ticket, as held.
    """
    states = []
    for model, at, state in _ACTS:
        act = model._default_manager.filter(claim=claim).first()
        if act is not None:
            states.append((getattr(act, at), state or getattr(act, "verdict", "")))
    states.sort()
    if not states or states[0][0] - claim.opened_at >= _SAME_ACT:
        first = State.LAPSED if claim.state == State.LAPSED else State.HELD
        states.insert(0, (claim.opened_at, first))
    return states


def state_before(claim: Claim, instant: datetime.datetime) -> str:
    """Return the state of the claim just before the instant; empty if there was no claim."""
    before = [state for at, state in history(claim) if at < instant]
    return before[-1] if before else ""


def as_of(claim: Claim, state: str, changed_at: datetime.datetime | None) -> Claim:
    """Return a copy of the claim as it was in an earlier state."""
    return Claim(
        pk=claim.pk,
        game=claim.game,
        document_id=claim.document_id,
        state=state,
        amount_cents=claim.amount_cents,
        opened_at=claim.opened_at,
        changed_at=changed_at,
        day=claim.day if state in (State.LAPSED, State.REFUSED) else None,
    )


def context(span: Span) -> Iterator[Model]:
    """Yield what was open when the day began: claims, cash sessions and issued cheques."""
    open_ = Claim.objects.filter(opened_at__lt=span.since).filter(
        ~Q(state__in=_OVER) | Q(changed_at__gte=span.since)
    )
    for claim in open_.order_by("pk"):
        state = state_before(claim, span.since)
        if state and state not in _OVER:
            yield as_of(claim, state, None)
    for session in CashSession.objects.filter(opened_at__lt=span.since):
        if session.closed_at is None or session.closed_at >= span.since:
            yield _open(session)
    cheques = Cheque.objects.filter(issued_at__lt=span.since)
    for cheque in cheques.filter(Q(state="issued") | Q(reconciled_at__gte=span.since)):
        yield from _issued(cheque, span)


def _open(session: CashSession) -> CashSession:
    session.closed_at = session.expected_cents = session.counted_cents = None
    return session


def _issued(cheque: Cheque, span: Span) -> Iterator[Model]:
    """Yield the paid claim of a cheque, then the cheque as it was while it was issued."""
    yield as_of(cheque.payment.claim, State.PAID, None)
    if cheque.reconciled_at is None or cheque.reconciled_at >= span.since:
        cheque.state, cheque.presented_on = Cheque.State.ISSUED, None
        cheque.reconciled_at = cheque.reconciled_by = None
    yield cheque


def events(span: Span) -> Iterator[Event]:
    for model, at, after in _ACTS:
        acts = model._default_manager.filter(_within(at, span))
        for act in acts.exclude(claim=None).select_related("claim").order_by(at, "pk"):
            yield _act(act, getattr(act, at), after or getattr(act, "verdict", ""))
    for session in CashSession.objects.filter(_within("opened_at", span)):
        yield Event(session.opened_at, "payoffice.cash_opened", _open(session))
    for movement in CashMovement.objects.filter(_within("moved_at", span)):
        yield Event(movement.moved_at, "payoffice.cash_moved", movement)
    for session in CashSession.objects.filter(_within("closed_at", span)):
        data = {"session": session.pk, "counted_cents": session.counted_cents}
        yield Event(session.closed_at or span.since, "payoffice.cash_closed", data=data)
    for cheque in Cheque.objects.filter(_within("issued_at", span)):
        cheque.state, cheque.voiding, cheque.void_reason = Cheque.State.ISSUED, None, ""
        cheque.presented_on = cheque.reconciled_at = cheque.reconciled_by = None
        yield Event(cheque.issued_at, "payoffice.cheque_issued", cheque, order=2)
    for cheque in Cheque.objects.filter(_within("reconciled_at", span)):
        yield Event(
            cheque.reconciled_at or span.since,
            "payoffice.cheque_presented",
            data={"cheque": cheque.pk},
            order=2,
        )
    for stock in StockMovement.objects.filter(_within("moved_at", span), exchange=None):
        yield Event(stock.moved_at, "payoffice.stock_moved", stock)


def _within(field: str, span: Span) -> Q:
    return Q(**{f"{field}__gte": span.since, f"{field}__lt": span.until})


def _act(act: Any, at: datetime.datetime, after: str) -> Event:
    """Return the event of an act on a claim, with the claim's row if the act opens it."""
    claim = act.claim
    before = state_before(claim, at)
    kind = f"payoffice.{act._meta.model_name}"
    data = {"claim": claim.pk, "before": before, "after": after}
    rows: tuple[Model, ...] = () if before else (as_of(claim, after, None),)
    return Event(at, kind, act, rows, data, order=1)


# --- Replay ---------------------------------------------------------------------------------------


def _payable(claim: Claim) -> tuple[Source, Payable]:
    """Return what the claim's document is worth, with the source that says so."""
    for source in sources.all_sources():
        if source.game == claim.game:
            try:
                return source, source.by_id(claim.document_id)
            except DocumentUnknown:
                continue
    raise DocumentUnknown


def _acted(row: Any, data: Data) -> None:
    """Replay an act on a claim: set the claim's new state and post the money that moves."""
    claim = Claim.objects.get(pk=data["claim"])
    source, payable = _payable(claim)
    before, after = data["before"], data["after"]
    stood = payable.held if before else payable.owed
    if stood is None or payable.held is None:
        raise DocumentUnknown
    if before:
        claim.state, claim.changed_at = after, clock.now()
        if after == State.REFUSED:
            claim.day = natural_day(clock.now())
        claim.save(update_fields=["state", "changed_at", "day"])
    cents = claim.amount_cents
    match after:
        case State.PAID:
            line = _paid(row, payable, stood, cents)
        case State.EXCHANGED:
            line = postings.exchange(stood=stood, cents=cents)
        case State.REFUSED:
            to = source.forfeits_to(payable, natural_day(clock.now()))
            line = postings.refusal(held=stood, forfeits_to=to, cents=cents)
        case _ if not before:
            line = postings.hold(owed=stood, held=payable.held, cents=cents)
        case _:  # held money stays on its account
            return
    post(f"payoffice.{after}", row, [line])


def _paid(row: Payment, payable: Payable, stood: AccountCode, cents: int) -> Line:
    payer = postings.payer(
        premises_id=row.premises_id, cash_session_id=row.cash_session_id, means=row.means
    )
    is_refund = payable.nature is Nature.REFUND
    return postings.payment(refund=is_refund, stood=stood, paid_from=payer, cents=cents)


def _cash_opened(row: Any, data: Data) -> None:
    post("payoffice.float", row, [postings.cash_float(row.pk, row.float_cents)])


def _cash_moved(row: Any, data: Data) -> None:
    post("payoffice.cash", row, [postings.cash_moved(row.session_id, row.cents)])


def _cash_closed(row: Any, data: Data) -> None:
    """Replay a close: compute the expected cash again, and post the count with its difference."""
    session = CashSession.objects.get(pk=data["session"])
    cash, counted = accounts.cash(session.pk), data["counted_cents"]
    expected = balance_cents(cash)
    CashSession.objects.filter(pk=session.pk).update(
        closed_at=clock.now(), counted_cents=counted, expected_cents=expected
    )
    lines = postings.cash_counted(
        session.pk, counted_cents=counted, difference_cents=counted - expected
    )
    post("payoffice.close", session, lines)


def _cheque_presented(row: Any, data: Data) -> None:
    cheque = Cheque.objects.get(pk=data["cheque"])
    post("payoffice.cheque", cheque, [postings.cheque_presented(cheque.amount_cents)])


def _stock_moved(row: Any, data: Data) -> None:
    line = postings.goods_moved(row.units * row.item.equivalent_cents)
    post("payoffice.goods", row, [line])


def figures(span: Span) -> Iterator[tuple[str, Any]]:
    """Yield what was paid that day by means and place, and what lapsed by game and day."""
    paid = Payment.objects.filter(_within("paid_at", span)).order_by()
    for means, place, cents in paid.values_list("means", "place").annotate(Sum("amount_cents")):
        yield f"paid {means} {place}", cents
    lapsed = Claim.objects.filter(_within("opened_at", span), state=State.LAPSED).order_by()
    for game, day, cents in lapsed.values_list("game", "day").annotate(Sum("amount_cents")):
        yield f"lapsed {game} {day}", cents


DAY_PARTS: tuple[Part, ...] = (
    Part(
        name="payoffice",
        context=context,
        events=events,
        figures=figures,
        replays={
            **{f"payoffice.{model._meta.model_name}": _acted for model, _, _ in _ACTS},
            "payoffice.cash_opened": _cash_opened,
            "payoffice.cash_moved": _cash_moved,
            "payoffice.cash_closed": _cash_closed,
            "payoffice.cheque_issued": nothing,
            "payoffice.cheque_presented": _cheque_presented,
            "payoffice.stock_moved": _stock_moved,
        },
    ),
)

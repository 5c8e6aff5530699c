"""Write the prize office's part of a day file, and replay it.

The part holds the acts on claims, the cash sessions, the cheques and the stock of that day.
"""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any, cast

from django.db import connections
from django.db.models import Model, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from core.database import clock
from core.database.reading.numbers import within
from core.kernel.days import natural_day
from core.ledger.models import Account
from core.ledger.services import AccountCode, Line
from core.payoffice import accounts, cheque_days, postings, sources
from core.payoffice.models import (
    CashMovement,
    CashSession,
    Claim,
    DepositMatch,
    Exchange,
    Payment,
    Presentation,
    Restoration,
    Ruling,
    StockCorrection,
    StockMovement,
)
from core.payoffice.services.stock_values import lines_of_correction
from core.payoffice.sources import DocumentUnknown, Nature, Payable, Source
from core.reports.parts import Event, Part, Span, balance_cents, nothing, post

Data = Mapping[str, Any]
State = Claim.State
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

    A claim that no act opened begins as lapsed or, if a breach blocked its ticket, as held. Acts
    before the payment order leave a claim early; the order values it [D7].
    """
    states = []
    for model, at, state in _ACTS:
        for act in _acts_on(claim, model):
            if after := _after(claim, act, at, state):
                states.append((getattr(act, at), after))
    states.sort()
    if claim.valued_at is not None:
        states.append((claim.valued_at, _valued_as(claim)))
        states.sort()
    if not states or states[0][0] - claim.opened_at >= _SAME_ACT:
        lapsed = claim.state == State.LAPSED or hasattr(claim, "restoration")
        states.insert(0, (claim.opened_at, State.LAPSED if lapsed else State.HELD))
    before = ["", *(state for _, state in states)]
    return [each for each, last in zip(states, before, strict=False) if each[1] != last]


def _acts_on(claim: Claim, model: type[Model]) -> QuerySet[Any]:
    """Return the acts of one kind on a claim; of rulings, also those on its deposits."""
    of_claim = Q(claim=claim)
    if model is Ruling:
        of_claim |= Q(claim=None, deposit__match__claim=claim)
    return model._default_manager.filter(of_claim).order_by("pk")


def _after(claim: Claim, act: Any, at: str, state: str) -> str:
    """Return the state of the claim after an act on it; empty if the act leaves it as it was.

    A document that was presented beside a deposit stays held, and is presented once two persons
    have refused that deposit, unless it was deposited itself meanwhile [C5].
    """
    if _early(claim, act, at):
        return State.EARLY
    if isinstance(act, Presentation):
        beside = DepositMatch.objects.filter(claim=claim, matched_at__lte=act.presented_at)
        return "" if beside.exists() else state
    if isinstance(act, Ruling) and act.claim_id is None:
        own = claim.deposit_matches.filter(staff=None, matched_at__lte=act.decided_at)
        return "" if own.exists() else State.PRESENTED
    if isinstance(act, Ruling):
        return act.verdict
    return state


def _early(claim: Claim, act: Any, at: str) -> bool:
    """Return whether an act was done while nobody knew what the claim is worth [D7]."""
    if claim.valued_at is None:
        return claim.state == State.EARLY
    return bool(getattr(act, at) < claim.valued_at)


def _valued_as(claim: Claim) -> str:
    """Return the state that an early claim had once its amount was known."""
    if claim.amount_cents == 0:
        return State.NO_PRIZE
    match = DepositMatch.objects.filter(claim=claim, matched_at__lt=claim.valued_at).exists()
    return State.HELD if match else State.PRESENTED


def state_before(claim: Claim, instant: datetime.datetime) -> str:
    """Return the state of the claim just before the instant; empty if there was no claim."""
    before = [state for at, state in history(claim) if at < instant]
    return before[-1] if before else ""


def as_of(claim: Claim, state: str) -> Claim:
    """Return a copy of the claim as it was in an earlier state."""
    return Claim(
        pk=claim.pk,
        game=claim.game,
        document_id=claim.document_id,
        state=state,
        amount_cents=0 if state == State.EARLY else claim.amount_cents,
        opened_at=claim.opened_at,
        changed_at=None,
        valued_at=None if state == State.EARLY else claim.valued_at,
        day=_day_of(claim, state),
    )


def _day_of(claim: Claim, state: str) -> datetime.date | None:
    """Return the day from which the money was carried over while the claim was in that state."""
    if state == State.LAPSED and hasattr(claim, "restoration"):
        return claim.restoration.lapsed_day
    return claim.day if state in Claim.FORFEITED else None


def context(span: Span) -> Iterator[Model]:
    """Yield what was open when the day began: claims, cash sessions and issued cheques."""
    open_ = Claim.objects.filter(opened_at__lt=span.since).filter(
        ~Q(state__in=Claim.OVER) | Q(changed_at__gte=span.since)
    )
    for claim in open_.order_by("pk"):
        state = state_before(claim, span.since)
        if state and state not in Claim.OVER:
            yield as_of(claim, state)
            yield from _matched(claim, span)
    for session in CashSession.objects.filter(opened_at__lt=span.since):
        if session.closed_at is None or session.closed_at >= span.since:
            yield _open(session)
    for cheque in cheque_days.open_cheques(span):
        yield as_of(cheque.payment.claim, State.PAID)
        yield cheque
    yield from cheque_days.entries_taken_back(span)


def _matched(claim: Claim, span: Span) -> Iterator[Model]:
    """Yield the matches of a claim that was matched before, and what was presented or restored."""
    matches = DepositMatch.objects.filter(claim=claim, matched_at__lt=span.since)
    if matches:
        yield from matches
        yield from Presentation.objects.filter(claim=claim, presented_at__lt=span.since)
        yield from Restoration.objects.filter(match__in=matches)


def _open(session: CashSession) -> CashSession:
    session.closed_at = session.expected_cents = session.counted_cents = session.count = None
    session.difference_reason = session.difference_words = ""
    session.proposal = None
    return session


def events(span: Span) -> Iterator[Event]:
    for model, at, after in _ACTS:
        acts = model._default_manager.filter(within(model, at, span.since, span.until))
        for act in acts.select_related("claim").order_by(at, "pk"):
            if claim := _claim_of(act):
                yield from _act(act, claim, at, after)
    for session in CashSession.objects.filter(cheque_days.within("opened_at", span)):
        yield Event(session.opened_at, "payoffice.cash_opened", _open(session))
    for movement in CashMovement.objects.filter(cheque_days.within("moved_at", span)):
        yield Event(movement.moved_at, "payoffice.cash_moved", movement)
    for session in CashSession.objects.filter(cheque_days.within("closed_at", span)):
        names = ("counted_cents", "count", "difference_reason", "difference_words", "proposal_id")
        data = {"session": session.pk} | {name: getattr(session, name) for name in names}
        closed_at = session.closed_at or span.since
        yield Event(closed_at, "payoffice.cash_closed", session.proposal, data=data)
    yield from cheque_days.events(span)
    for stock in StockMovement.objects.filter(cheque_days.within("moved_at", span), exchange=None):
        cents = stock.proposal.content["cents"] if stock.proposal else 0
        yield Event(stock.moved_at, "payoffice.stock_moved", stock, data={"cents": cents})
    for correction in StockCorrection.objects.filter(cheque_days.within("corrected_at", span)):
        yield Event(correction.corrected_at, "payoffice.stock_corrected", correction)


def _claim_of(act: Any) -> Claim | None:
    """Return the claim of an act; of a ruling only on a deposit, that of its match, if any."""
    if act.claim is None and hasattr(act.deposit, "match"):
        return cast(Claim, act.deposit.match.claim)
    return cast("Claim | None", act.claim)


def _act(act: Any, claim: Claim, field: str, state: str) -> Iterator[Event]:
    """Yield the event of an act on a claim, with the claim's row if the act opens it.

    A match that restores what had lapsed comes with the lapsed claim under its own key, in the
    place of the one that a replayed lapse made.
    """
    at = getattr(act, field)
    before = state_before(claim, at)
    kind = f"payoffice.{act._meta.model_name}"
    after = _after(claim, act, field, state) or before
    data = {"claim": claim.pk, "before": before, "after": after}
    rows: tuple[Model, ...] = () if before else (as_of(claim, after),)
    if before == State.LAPSED:
        document = {"game": claim.game, "document": claim.document_id}
        yield Event(at, "payoffice.lapsed_claim", data=document, order=1)
        account = claim.restoration.taken_from
        data |= {"taken_from": [account.code, account.side]}
        rows = (as_of(claim, before),)
    yield Event(at, kind, act, rows, data, order=1)
    if before == State.LAPSED:
        yield Event(at, "payoffice.restoration", claim.restoration, order=1)


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
    if after in (State.EARLY, before):  # the payment order holds the money; or it stays held
        return
    stood = payable.held if before else payable.owed
    if stood is None or payable.held is None:
        raise DocumentUnknown
    if before:
        claim.state, claim.changed_at = after, clock.now()
        claim.day = natural_day(clock.now()) if after == State.REFUSED else None
        claim.save(update_fields=["state", "changed_at", "day"])
    cents = claim.amount_cents
    match after:
        case State.PAID:
            line = _paid(row, payable, stood, cents)
        case State.EXCHANGED:
            lines = postings.exchange(stood=stood, cents=cents, unit_cents=row.unit_cents)
            post("payoffice.exchanged", row, lines)
            return
        case State.REFUSED:
            to = source.forfeits_to(payable, natural_day(clock.now()))
            line = postings.refusal(held=stood, forfeits_to=to, cents=cents)
        case _ if before == State.LAPSED:
            taken_from = AccountCode(data["taken_from"][0], Account.Side(data["taken_from"][1]))
            line = postings.restoration(taken_from=taken_from, held=payable.held, cents=cents)
        case _ if not before:
            line = postings.hold(owed=stood, held=payable.held, cents=cents)
        case _:  # held money stays on its account
            return
    post(f"payoffice.{after}", row, [line])


def _unlapse(row: Any, data: Data) -> None:
    """Delete the claim that a replayed lapse made: the one of the file takes its place."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "DELETE FROM payoffice_claim WHERE game = %s AND document_id = %s",
            [data["game"], data["document"]],
        )


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
        closed_at=clock.now(),
        counted_cents=counted,
        expected_cents=expected,
        count=data["count"],
        difference_reason=data["difference_reason"],
        difference_words=data["difference_words"],
        proposal_id=data["proposal_id"],
    )
    lines = postings.cash_counted(
        session.pk, counted_cents=counted, difference_cents=counted - expected
    )
    post("payoffice.close", session, lines)


def _stock_moved(row: Any, data: Data) -> None:
    post("payoffice.goods", row, [postings.goods_moved(data["cents"])])


def _stock_corrected(row: Any, data: Data) -> None:
    post("payoffice.goods_corrected", row, lines_of_correction(row))


def figures(span: Span) -> Iterator[tuple[str, Any]]:
    """Yield what was paid that day by means and place, and what lapsed by game and day."""
    paid = Payment.objects.filter(within(Payment, "paid_at", span.since, span.until)).order_by()
    for means, place, cents in paid.values_list("means", "place").annotate(Sum("amount_cents")):
        yield f"paid {means} {place}", cents
    opened = within(Claim, "opened_at", span.since, span.until)
    lapsed = Claim.objects.filter(opened).filter(
        Q(state=State.LAPSED) | Q(restoration__restored_at__gte=span.until)
    )
    days = lapsed.annotate(lapsed_day=Coalesce("restoration__lapsed_day", "day")).order_by()
    for game, day, cents in days.values_list("game", "lapsed_day").annotate(Sum("amount_cents")):
        yield f"lapsed {game} {day}", cents


DAY_PARTS: tuple[Part, ...] = (
    Part(
        name="payoffice",
        context=context,
        events=events,
        figures=figures,
        replays={
            **{f"payoffice.{model._meta.model_name}": _acted for model, _, _ in _ACTS},
            "payoffice.lapsed_claim": _unlapse,
            "payoffice.restoration": nothing,
            "payoffice.cash_opened": _cash_opened,
            "payoffice.cash_moved": _cash_moved,
            "payoffice.cash_closed": _cash_closed,
            **cheque_days.REPLAYS,
            "payoffice.stock_moved": _stock_moved,
            "payoffice.stock_corrected": _stock_corrected,
        },
    ),
)

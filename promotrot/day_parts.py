"""Give Promotrot's part of a day file: plays sold, awards, closings, lapses."""

import datetime
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Model, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from core.database.reading.numbers import within
from core.kernel.days import add_days, natural_day
from core.payoffice.models import Claim
from core.premises.models import Game
from core.reports.parts import Event, Part, Span, nothing, post
from promotrot import accounts, postings
from promotrot.engine import shortfall
from promotrot.models.debt import DebtDecision, DebtStanding
from promotrot.models.emission import ClosingStatement, Emission
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.closing import stated_closing
from promotrot.services.payables import Vouchers

Data = Mapping[str, Any]
_OVER = (Claim.State.PAID, Claim.State.EXCHANGED, Claim.State.LAPSED, Claim.State.REFUSED)


def context(span: Span) -> Iterator[Model]:
    """Return the vouchers that were still owed when the day began."""
    over = Claim.objects.filter(game=Game.PROMOTROT, state__in=_OVER, opened_at__lt=span.since)
    ended = over.exclude(changed_at__gte=span.since).values("document_id")
    owed = Voucher.objects.filter(issued_at__lt=span.since).exclude(pk__in=ended)
    yield from owed.order_by("pk").iterator()


def _written(model: type[Model], field: str, span: Span) -> QuerySet[Any]:
    return model._default_manager.filter(within(model, field, span.since, span.until))


def events(span: Span) -> Iterator[Event]:
    for ticket in _written(PlayTicket, "sold_at", span).order_by("pk").iterator():
        yield Event(ticket.sold_at, "promotrot.sale", ticket)
    for act in _written(PlayAct, "at", span).order_by("pk").iterator():
        yield Event(act.at, "promotrot.act", act, order=1)
    for end in _written(PlayEnd, "ended_at", span).order_by("pk").iterator():
        yield Event(end.ended_at, "promotrot.end", end, order=2)
    issued = _written(Voucher, "issued_at", span).order_by("pk")
    for voucher in issued.iterator():
        late = ClosingStatement.objects.filter(
            emission=voucher.emission_id, closed_at__lte=voucher.issued_at
        ).exists()
        yield Event(voucher.issued_at, "promotrot.voucher", voucher, (), {"late": late}, 3)
    for closing in _written(ClosingStatement, "closed_at", span):
        yield Event(closing.closed_at, "promotrot.closing", closing)
    for standing in _written(DebtStanding, "stood_at", span).order_by("pk"):
        yield Event(standing.stood_at, "promotrot.debt_standing", standing, order=4)
    for decision in _written(DebtDecision, "decided_at", span).order_by("pk"):
        yield Event(decision.decided_at, "promotrot.debt_decision", decision, order=5)
    restored_or_lapsed = Q(state="lapsed") | Q(restoration__isnull=False)
    lapsed = _written(Claim, "opened_at", span).filter(restored_or_lapsed, game=Game.PROMOTROT)
    days = lapsed.annotate(lapsed_day=Coalesce("restoration__lapsed_day", "day"))
    groups: dict[datetime.date | None, datetime.datetime] = {}
    for day, at in days.values_list("lapsed_day", "opened_at").order_by("opened_at"):
        groups.setdefault(day, at)
    for day, at in groups.items():
        yield Event(at, "promotrot.lapse", data={"day": str(day)})


def _sold(row: Any, data: Data) -> None:
    takings = accounts.takings(row.emission.reference)
    line = postings.sale(premises_id=row.premises_id, takings=takings, cents=row.price_cents)
    post("promotrot.sale", row, [line])


def _awarded(row: Any, data: Data) -> None:
    """Post a voucher from the prizes, from the takings, or, once closed, from the organiser."""
    emission = Emission.objects.select_related("game").get(pk=row.emission_id)
    game, reference, cents = emission.game.code, emission.reference, row.amount_cents
    match row.nature:
        case Voucher.Nature.REFUND:
            line = postings.refund_due(reference=reference, cents=cents, late=data["late"])
        case Voucher.Nature.DRAWN:
            line = postings.draw(game_code=game, reference=reference, cents=cents)
        case _:
            late = data["late"]
            line = postings.award(game_code=game, reference=reference, cents=cents, late=late)
    post("promotrot.voucher", row, [line])


def _closed(row: Any, data: Data) -> None:
    closing = stated_closing(row.emission)
    if closing is None:
        raise ValueError("The emission has no closing statement.")
    statement = shortfall.state(closing)
    lines = postings.closing_lines(
        game_code=row.game.code,
        reference=row.emission.reference,
        statement=statement,
        day=natural_day(row.emission.planned_at),
    )
    post("promotrot.closing", row, lines)


def _debt_stood(row: Any, data: Data) -> None:
    line = postings.debt_stands(game_code=row.game.code, cents=row.cents)
    post("promotrot.debt_standing", row, [line])


def _debt_decided(row: Any, data: Data) -> None:
    line = postings.debt_decided(game_code=row.game.code, cents=row.cents)
    post("promotrot.debt_decision", row, [line])


def _lapsed(row: Any, data: Data) -> None:
    day = datetime.date.fromisoformat(data["day"])
    Vouchers().lapse(data["day"], add_days(day, 1))


def figures(span: Span) -> Iterator[tuple[str, Any]]:
    sold = _written(PlayTicket, "sold_at", span).order_by()
    for name, cents in sold.values_list("emission__reference").annotate(Sum("price_cents")):
        yield f"plays {name}", cents
    issued = _written(Voucher, "issued_at", span).order_by()
    for nature, cents in issued.values_list("nature").annotate(Sum("amount_cents")):
        yield f"vouchers {nature}", cents


DAY_PARTS: tuple[Part, ...] = (
    Part(
        name="promotrot",
        context=context,
        events=events,
        figures=figures,
        replays={
            "promotrot.sale": _sold,
            "promotrot.act": nothing,
            "promotrot.end": nothing,
            "promotrot.voucher": _awarded,
            "promotrot.closing": _closed,
            "promotrot.lapse": _lapsed,
            "promotrot.debt_standing": _debt_stood,
            "promotrot.debt_decision": _debt_decided,
        },
    ),
)

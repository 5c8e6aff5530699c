"""Collect the events of a day: rows written on it, and acts that a replay carries out again."""

import dataclasses
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import Model, QuerySet

from core.database.reading.numbers import within
from core.draws.models import Draw
from core.payoffice.day_parts import as_of
from core.payoffice.models import Claim
from core.premises.models import Game
from core.reports.parts import Event, Span
from core.staff.models import Proposal
from lototrot.day.context import draw_rows, standing
from lototrot.models.authority import GameEnd
from lototrot.models.contest import Contest
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.models.sealing import Amendment, Seal
from lototrot.models.settlement import CarryOver, Lapse, PaymentOrder, Settlement
from lototrot.models.stops import SalesStop
from lototrot.models.tickets import Block, Ticket, Void

Written = Callable[[type[Model], str], QuerySet[Any]]

_ROWS: tuple[tuple[str, type[Model], str], ...] = (
    ("lototrot.sale", Ticket, "sold_at"),
    ("lototrot.void", Void, "voided_at"),
    ("lototrot.stop", SalesStop, "stopped_at"),
    ("lototrot.start", RaceStart, "recorded_at"),
    ("lototrot.declaration", RaceDeclaration, "recorded_at"),
    ("lototrot.seal", Seal, "sealed_at"),
)


def events(span: Span) -> Iterator[Event]:
    """Yield the events of a day, in no particular order."""

    def written(model: type[Model], at: str) -> QuerySet[Any]:
        on_the_day = {f"{at}__gte": span.since, f"{at}__lt": span.until}
        return model._default_manager.filter(**on_the_day)

    for kind, model, at in _ROWS:
        of_the_day = model._default_manager.filter(within(model, at, span.since, span.until))
        for row in of_the_day.order_by(at, "pk").iterator():
            yield Event(getattr(row, at), kind, row)
    for row in written(Classification, "confirmed_at"):
        if row.corrects_id is not None:
            data = {"classification": row.corrects_id}
            yield Event(row.confirmed_at, "lototrot.corrected", data=data, order=-1)
        row.in_force = True
        yield Event(row.confirmed_at, "lototrot.classification", row)
    for row in written(Block, "blocked_at").select_related("ticket"):
        yield _block(row)
    for amendment in written(Amendment, "proposal__decision__decided_at"):
        decided = amendment.proposal.decision.decided_at
        yield Event(decided, "lototrot.amendment", amendment, order=2)
    for draw in written(Draw, "certificate__certified_at"):
        *steps, certificate = draw_rows(draw)
        yield Event(draw.certificate.certified_at, "lototrot.draw", certificate, tuple(steps))
    yield from _withdrawals(written)
    yield from _acts(written)


def _withdrawals(written: Written) -> Iterator[Event]:
    """Yield the withdrawals, and apart from them their ends: a settlement may come between."""
    for row in written(Withdrawal, "entered_at"):
        yield Event(row.entered_at, "lototrot.withdrawal", standing(row))
    for row in written(Withdrawal, "reversed_at"):
        data = {"withdrawal": row.pk, "at": row.reversed_at.isoformat()}
        yield Event(row.reversed_at, "lototrot.withdrawal_reversed", data=data)


def _block(row: Block) -> Event:
    """Return the event of a block: it opens a claim, holds a presented one, or neither [C6]."""
    claim = Claim.objects.filter(game=Game.LOTOTROT, document_id=row.ticket_id).first()
    opens = claim is not None and claim.opened_at == row.blocked_at
    held = as_of(claim, Claim.State.HELD) if claim and opens else None
    data = {"opens": opens, "holds": claim.pk if claim and not opens else None}
    return Event(row.blocked_at, "lototrot.block", row, (held,) if held else (), data)


def _acts(written: Written) -> Iterator[Event]:
    """Yield the changes of state of contests, and the acts that are computed again."""
    for contest in written(Contest, "opened_at"):
        if contest.opening and contest.opened_at:
            yield _opened(contest.pk, contest.opening, contest.opened_at)
    for contest in written(Contest, "closed_at"):
        yield _act(contest.closed_at, "lototrot.closed", contest, cause=contest.closing_cause)
    for settlement in written(Settlement, "settled_at"):
        yield _act(settlement.settled_at, "lototrot.settled", settlement.contest)
    for settlement in written(Settlement, "reversed_at"):
        person, contest = settlement.reversed_by, settlement.contest
        act = _act(settlement.reversed_at, "lototrot.reversed", contest, by=person.pk)
        yield dataclasses.replace(act, rows=(person,))
    for order in written(PaymentOrder, "ordered_at"):
        yield _ordered(order)
    for lapse in written(Lapse, "lapsed_at"):
        yield _act(lapse.lapsed_at, "lototrot.lapsed", lapse.contest)
    for end in written(GameEnd, "ended_at"):
        yield Event(end.ended_at, "lototrot.ended", end, (end.proposal,), order=2)
    for carried in written(CarryOver, "carried_at"):
        yield _act(carried.carried_at, "lototrot.carry_over", carried.contest)


def _act(at: datetime, kind: str, contest: Contest, **data: Any) -> Event:
    data |= {"contest": contest.pk, "at": at.isoformat()}
    return Event(at, kind, data=data, order=1)


def _opened(contest: int, opening: Proposal, at: datetime) -> Event:
    data = {"contest": contest, "at": at.isoformat(), "opening": opening.pk}
    return Event(at, "lototrot.opened", None, (opening,), data, order=1)


def _ordered(order: PaymentOrder) -> Event:
    days = ("results_day", "first_pay_day", "last_claim_day")
    data = {
        "contest": order.contest_id,
        "proposal": order.proposal_id,
        "at": order.ordered_at.isoformat(),
        "claim_days": order.claim_days,
        **{name: getattr(order, name).isoformat() for name in days},
    }
    return Event(order.ordered_at, "lototrot.ordered", None, (order.proposal,), data)

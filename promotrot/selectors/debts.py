"""Read what games owe to prizes, by age, from a closing to the authority's decision [P2, P17]."""

import datetime
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from core.database import clock
from core.database.reading.asking import fetch_row, fetch_value
from core.draws.models import Announcement
from core.payoffice.models import Claim
from core.premises.models import Game as GameName
from promotrot.engine.shortfall import MOST_DRAWS
from promotrot.models.debt import DebtDraw, DebtStanding
from promotrot.models.emission import ClosingStatement, Emission
from promotrot.models.game import Game
from promotrot.models.voucher import Voucher

DRAW_KIND: Final = "promotrot.debt"
"""The name of the public draws of debts. The subject of one is `code:number`."""

OVERDUE_AFTER: Final = datetime.timedelta(hours=1)
"""So long after its announced time a draw is held and certified."""


class Stage(enum.StrEnum):
    """The point that a debt has reached."""

    EXTRA = "extra"  # the game's next emission has extra prizes for it
    ANNOUNCED = "announced"  # its draw is announced
    HELD = "held"  # drawn: vouchers wait for their bearers
    AGAIN = "again"  # lapsed: to be drawn again
    LAST = "last"  # lapsed after the last draw: the night puts it before the authority
    AUTHORITY = "authority"  # it stands for the authority's decision


@dataclass(frozen=True, slots=True)
class Debt:
    """A part of what a game owes, and since when it has been at that stage.

    `has_emission` says of a game on sale whether an emission of it is planned, open or stopped,
    `is_overdue` of an announced draw whether it should have been held.
    """

    game: Game
    stage: Stage
    since: datetime.datetime
    cents: int
    has_emission: bool = False
    is_overdue: bool = False


def debt_left(game: Game) -> tuple[int, int]:
    """Return the cents and the number of drawn prizes that lapsed and were not drawn again; or the
    cents that an ended game owes with no ticket to draw.
    """
    cents, prizes = fetch_row("SELECT cents, prizes FROM promotrot_debt_left(%s)", [game.pk])
    return int(cents), int(prizes)


def is_drawn(game: Game) -> bool:
    """Return whether the newest draw of an ended game has given its prizes."""
    return bool(fetch_value("SELECT promotrot_debt_drawn(%s)", [game.pk]))


def debts() -> list[Debt]:
    """Return every debt to prizes, oldest first. Games that never owed anything are not read."""
    drawn = DebtDraw.objects.filter(game=OuterRef("pk"))
    stood = DebtStanding.objects.filter(game=OuterRef("pk"))
    owes = Q(ending=None, owed_cents__gt=0) | Exists(drawn) | Exists(stood)
    owing = _games().filter(owes).order_by("pk")
    return sorted((d for game in owing for d in _debts_of(game)), key=lambda debt: debt.since)


def debts_of(game: Game) -> list[Debt]:
    """Return what a game owes to prizes, by stage."""
    return _debts_of(_games().get(pk=game.pk))


def _games() -> QuerySet[Any]:
    """Return the games, each with what it owes by its last closing, the closing that first left it
    owing, and whether an emission of it is planned or on sale.

    These are subqueries, so that many games that owe cost no more statements than one.
    """
    closings = ClosingStatement.objects.filter(game=OuterRef("pk")).order_by("-sequence")
    paid_up = ClosingStatement.objects.filter(game=OuterRef("game"), owed_cents=0)
    last_paid_up = Subquery(paid_up.order_by("-sequence").values("sequence")[:1])
    since_then = closings.filter(sequence__gt=Coalesce(last_paid_up, 0)).order_by("sequence")
    coming = Emission.objects.filter(game=OuterRef("pk")).exclude(state__in=Emission.OVER)
    return Game.objects.select_related("ending").annotate(
        owed_cents=Coalesce(Subquery(closings.values("owed_cents")[:1]), 0),
        owing_since=Subquery(since_then.values("closed_at")[:1]),
        has_emission=Exists(coming),
    )


def _debts_of(game: Any) -> list[Debt]:
    return [debt for debt in _of(game) if debt.cents]


def _of(game: Any) -> Iterator[Debt]:
    if not hasattr(game, "ending"):
        if game.owing_since is not None:
            since, cents = game.owing_since, game.owed_cents
            yield Debt(game, Stage.EXTRA, since, cents, has_emission=game.has_emission)
        return
    newest = game.debt_draws.order_by("-number").first()
    if newest is not None:
        yield from _drawn(game, newest)
    yield from _standing(game)


def _drawn(game: Game, newest: DebtDraw) -> Iterator[Debt]:
    if not is_drawn(game):
        since, cents = newest.announced_at, newest.owed_cents
        yield Debt(game, Stage.ANNOUNCED, since, cents, is_overdue=_is_overdue(newest))
    waiting = _vouchers(game).filter(~Exists(_claims()))
    held = waiting.aggregate(since=Min("issued_at"), cents=Sum("amount_cents"))
    if held["cents"]:
        yield Debt(game, Stage.HELD, held["since"], held["cents"])
    left_cents, _ = debt_left(game)
    drawn = _vouchers(game).filter(debt_draw=newest).values("pk")
    lapsed = Claim.objects.filter(game=GameName.PROMOTROT, document_id__in=drawn, state="lapsed")
    since = lapsed.aggregate(since=Min("opened_at"))["since"] or newest.announced_at
    yield Debt(game, Stage.AGAIN if newest.number < MOST_DRAWS else Stage.LAST, since, left_cents)


def _is_overdue(debt_draw: DebtDraw) -> bool:
    announced = Announcement.objects.filter(draw__kind=DRAW_KIND, draw__subject=str(debt_draw))
    return announced.latest("pk").planned_at < clock.now() - OVERDUE_AFTER


def _standing(game: Game) -> Iterator[Debt]:
    """Return what waits for the authority's decision. The oldest sums are decided first, so these
    are the newest.
    """
    stood = list(game.debt_standings.order_by("pk"))
    decided = game.debt_decisions.aggregate(cents=Sum("cents"))["cents"] or 0
    for standing in stood:
        left = max(0, standing.cents - decided)
        decided = max(0, decided - standing.cents)
        yield Debt(game, Stage.AUTHORITY, standing.stood_at, left)


def _vouchers(game: Game) -> QuerySet[Voucher]:
    return Voucher.objects.filter(debt_draw__game=game)


def _claims() -> QuerySet[Claim]:
    return Claim.objects.filter(game=GameName.PROMOTROT, document_id=OuterRef("pk"))

"""Read what games owe to prizes, by age, from a closing to the authority's decision [P2, P17]."""

import datetime
import enum
from collections.abc import Iterator
from dataclasses import dataclass

from django.db import connection
from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Subquery, Sum

from core.payoffice.models import Claim
from core.premises.models import Game as GameName
from promotrot.engine.shortfall import MOST_DRAWS
from promotrot.models.debt import DebtDraw
from promotrot.models.emission import ClosingStatement
from promotrot.models.game import Game
from promotrot.models.voucher import Voucher
from promotrot.selectors.owed import owed_cents


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
    """A part of what a game owes, and since when it has been at that stage."""

    game: Game
    stage: Stage
    since: datetime.datetime
    cents: int


def debt_left(game: Game) -> tuple[int, int]:
    """Return the cents and the number of drawn prizes that lapsed and were not drawn again."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT cents, prizes FROM promotrot_debt_left(%s)", [game.pk])
        cents, prizes = cursor.fetchone()
    return int(cents), int(prizes)


def is_drawn(game: Game) -> bool:
    """Return whether the newest draw of an ended game has given its prizes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT promotrot_debt_drawn(%s)", [game.pk])
        return bool(cursor.fetchone()[0])


def debts() -> list[Debt]:
    """Return every debt to prizes, oldest first. Games that never owed anything are not read."""
    drawn = DebtDraw.objects.filter(game=OuterRef("pk"))
    newest = ClosingStatement.objects.filter(game=OuterRef("pk")).order_by("-sequence")
    owing = Game.objects.annotate(owed_cents=Subquery(newest.values("owed_cents")[:1]))
    games = owing.filter(Q(ending=None, owed_cents__gt=0) | Exists(drawn))
    games = games.select_related("ending").order_by("pk")
    return sorted((d for game in games for d in debts_of(game)), key=lambda debt: debt.since)


def debts_of(game: Game) -> list[Debt]:
    """Return what a game owes to prizes, by stage."""
    return [debt for debt in _of(game) if debt.cents]


def _of(game: Game) -> Iterator[Debt]:
    if not hasattr(game, "ending"):
        yield from _open(game)
        return
    newest = game.debt_draws.order_by("-number").first()
    if newest is not None:
        yield from _drawn(game, newest)
        yield from _standing(game)


def _open(game: Game) -> Iterator[Debt]:
    """Return what a game on sale owes, since the closing that first left it owing."""
    since = None
    closings = ClosingStatement.objects.filter(game=game).order_by("-sequence")
    for owed, closed_at in closings.values_list("owed_cents", "closed_at").iterator():
        if not owed:
            break
        since = closed_at
    if since is not None:
        yield Debt(game, Stage.EXTRA, since, owed_cents(game))


def _drawn(game: Game, newest: DebtDraw) -> Iterator[Debt]:
    if not is_drawn(game):
        yield Debt(game, Stage.ANNOUNCED, newest.announced_at, newest.owed_cents)
    waiting = _vouchers(game).filter(~Exists(_claims()))
    held = waiting.aggregate(since=Min("issued_at"), cents=Sum("amount_cents"))
    if held["cents"]:
        yield Debt(game, Stage.HELD, held["since"], held["cents"])
    left_cents, _ = debt_left(game)
    gone = _vouchers(game).filter(debt_draw=newest).values("pk")
    lapsed = Claim.objects.filter(game=GameName.PROMOTROT, document_id__in=gone, state="lapsed")
    since = lapsed.aggregate(since=Min("opened_at"))["since"] or newest.announced_at
    yield Debt(game, Stage.AGAIN if newest.number < MOST_DRAWS else Stage.LAST, since, left_cents)


def _standing(game: Game) -> Iterator[Debt]:
    """Return what stands before the authority: the newest of it, as the oldest is decided first."""
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

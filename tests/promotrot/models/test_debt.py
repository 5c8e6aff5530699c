"""Refuse in the database debts that are not those of an ended game [P17]."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.db import DatabaseError, connection, transaction

from core.database import clock
from core.kernel.days import add_days, natural_day
from promotrot.models.debt import DebtDecision, DebtDraw, DebtStanding
from promotrot.models.game import Game
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from tests.support import factories
from tests.support.promotrot import owing

pytestmark = pytest.mark.django_db
Terms = dict[str, Any]


def refused(write: Callable[[], object]) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        write()


def draw(game: Game, **changes: Any) -> Callable[[], object]:
    terms = {"number": 1, "owed_cents": 140, "winners": 1, "announced_at": clock.now()}
    return lambda: DebtDraw.objects.create(game=game, **terms | changes)


def test_a_game_that_has_not_ended_draws_nothing() -> None:
    refused(draw(owing.owing(140)))


def test_only_what_lapsed_is_drawn_again_after_the_draw_before() -> None:
    game = owing.ended(140)
    refused(draw(game))
    refused(draw(game, number=2))
    owing.drawn(game)
    refused(draw(game, number=2))
    owing.nobody_comes()
    for wrong in ({"owed_cents": 139}, {"number": 3}, {"winners": 0}):
        refused(draw(game, **{"number": 2} | wrong))


def test_nothing_stands_before_the_authority_while_it_can_be_drawn() -> None:
    game = owing.ended(140)
    owing.drawn(game)
    owing.nobody_comes()
    stood = {"uuid": "0190a6c8-5f6e-7000-8000-000000000001", "stood_at": clock.now()}
    refused(lambda: DebtStanding.objects.create(game=game, cents=140, **stood))
    decided: Terms = {
        "uuid": "0190a6c8-5f6e-7000-8000-000000000002",
        "decided_at": clock.now(),
        "reference": "R 1",
        "payee": "P",
        "proposal": factories.proposal("promotrot.debt_decision"),
    }
    refused(lambda: DebtDecision.objects.create(game=game, cents=1, **decided))


def test_the_vouchers_of_a_draw_are_its_winners_and_share_what_it_draws() -> None:
    """The last one written checks all of them."""
    game = owing.ended(280, winners=3)
    for wrong in ((94, 93), (95, 93, 93), (94, 93, 92, 1)):
        refused(lambda wrong=wrong: _vouchers(game, wrong))
    _vouchers(game, (94, 93, 93))
    refused(lambda: _vouchers(game, (1,), number=2_000))


def _vouchers(game: Game, cents: tuple[int, ...], number: int = 1_001) -> None:
    """Write vouchers of the game's first draw for its tickets, and check them as a commit does."""
    now = clock.now()
    day = natural_day(now)
    Voucher.objects.bulk_create(
        Voucher(
            uuid=uuid4(),
            emission_id=ticket.emission_id,
            ticket=ticket,
            number=number,
            nature=Voucher.Nature.DRAWN,
            amount_cents=each,
            premises_id=ticket.premises_id,
            prizes=[],
            issued_at=now,
            issue_day=day,
            last_day=add_days(day, 30),
            debt_draw=game.debt_draws.get(),
        )
        for ticket, each in zip(PlayTicket.objects.order_by("pk"), cents, strict=False)
    )
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS as_drawn IMMEDIATE")
        cursor.execute("SET CONSTRAINTS as_drawn DEFERRED")

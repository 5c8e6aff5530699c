"""Refuse in the database debts that are not those of an ended game [P17]."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from promotrot.models.debt import DebtDecision, DebtDraw, DebtStanding
from promotrot.models.game import Game
from tests.support import factories
from tests.support.promotrot import owing

pytestmark = pytest.mark.django_db
Terms = dict[str, Any]


@pytest.fixture(autouse=True)
def simulated(settings: object) -> None:
    settings.SIMULATED_TIME = True  # type: ignore[attr-defined]


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

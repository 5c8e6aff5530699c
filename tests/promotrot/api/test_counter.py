"""Show a terminal the games on sale in its language, and the totals of its day."""

from typing import Any

import pytest
from django.test import Client

from core.premises.suspending import sales_suspend
from core.staff.powers import Role
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db
API = "/api/v1/promotrot/terminal/"


def answer(at: factories.Point, path: str) -> Any:
    headers = {"Authorization": f"Terminal {at.token}", "X-Operator-Session": at.session_token}
    response = Client().get(API + path, headers=headers)
    assert response.status_code == 200, response.content
    return response.json()


@pytest.mark.article("15.III.5.2")
def test_games_on_sale_with_rules_percentage_and_price_in_each_language() -> None:
    emission = emitting.opened(emitting.document("five-stalls"))
    at = factories.point()
    names = {"ca": "Cinc boxes", "es": "Cinco boxes", "en": "Five Stalls"}
    for language, name in names.items():
        games = answer(at, f"games?lang={language}")
        assert games["refusal"] is None
        (game,) = games["items"]
        assert (game["name"], game["emission"], game["on_sale"]) == (name, emission.pk, True)
        assert (game["price_cents"], game["prize_percent"]) == (100, "73.8")
        assert (game["main_prizes"], game["main_prizes_left"]) == (None, None)
        assert {code: texts["name"] for code, texts in game["texts"].items()} == names
        assert game["texts"]["es"]["labels"]["open"] == "Abrir"
        assert game["rules"] and game["screen"]["mechanic"]["kind"] == "hidden"


def test_a_suspension_is_said_and_an_unfinished_play_keeps_its_closed_game() -> None:
    at = factories.point()
    emission = emitting.opened(emitting.small())
    emitting.sold(emission, 1, at)
    sales_suspend(by=factories.staff(Role.ORGANISER), reason="Fault")
    emitting.closed(emission)
    games = answer(at, "games")
    assert games["refusal"] == "sales_suspended"
    assert [(game["code"], game["on_sale"]) for game in games["items"]] == [("small", False)]
    assert answer(factories.point(), "games")["items"] == []


def test_the_main_prizes_left_are_those_the_public_is_told() -> None:
    emission = emitting.opened(emitting.small())
    at = factories.point()
    (game,) = answer(at, "games")["items"]
    assert (game["main_prizes"], game["main_prizes_left"], game["acknowledged"]) == (2, 2, True)
    emitting.sold_and_played(emission, 39)  # late by design: nothing new is told yet
    (game,) = answer(at, "games")["items"]
    assert game["main_prizes_left"] == 2


def test_the_day_counts_what_was_sold_here_and_what_it_was_awarded() -> None:
    at = factories.point()
    emission = emitting.opened(emitting.small())
    tickets = emitting.sold(emission, 40, at)
    emitting.played(at, tickets)
    emitting.sold_and_played(emitting.opened(emitting.small("other")), 2)
    assert answer(at, "totals") == {
        "day": answer(at, "totals")["day"],
        "plays": 40,
        "amount_cents": 4000,
        "ended": 40,
        "awarded_cents": 2800,
    }

"""See over the API what games owe to prizes, and act on it [P17]."""

import pytest

from core.database import clock
from core.staff.powers import Role
from promotrot.models.debt import DebtDraw
from tests.support.api import refused, staff_api
from tests.support.promotrot import owing

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.2")]


def test_debts_are_listed_for_staff_and_nothing_is_drawn_before_its_time() -> None:
    game = owing.owing(140)
    organiser = staff_api(Role.ORGANISER)
    (debt,) = organiser.get("promotrot/debts").json()["items"]
    assert (debt["game"], debt["stage"], debt["cents"]) == (game.code, "extra", 140)
    refused(staff_api(Role.CASHIER).get("promotrot/debts"), 403, "power_missing")
    path = f"promotrot/games/{game.code}/debt"
    refused(organiser.post(f"{path}/draws"), 409, "nothing_owed")
    refused(organiser.post("promotrot/games/none/debt/draws"), 404, "game_unknown")
    decision = {"cents": 1, "reference": "R 1", "payee": "P"}
    refused(organiser.post(f"{path}/decision", decision), 409, "debt_differs")
    refused(organiser.post(f"{path}/decision", decision | {"cents": 0}), 422, "fields_invalid")
    assert not DebtDraw.objects.exists()


def test_a_draw_again_has_the_notice_of_every_draw() -> None:
    game = owing.ended(140)
    owing.drawn(game)
    owing.nobody_comes()
    path = f"promotrot/games/{game.code}/debt/draws"
    soon = {"planned_at": clock.now().isoformat()}
    refused(staff_api(Role.ORGANISER).post(path, soon), 422, "draw_notice_too_short")
    assert DebtDraw.objects.count() == 1
    answer = staff_api(Role.ORGANISER).post(path, {})
    assert (answer.status_code, answer.json()["number"]) == (201, 2)

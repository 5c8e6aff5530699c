"""Show plays to staff and move them to another terminal through the API."""

from typing import Any

import pytest

from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.models.play import PlayMove
from tests.support import emitting, factories
from tests.support.api import refused, staff_api, terminal_api
from tests.support.factories import Point
from tests.support.promotrot.playing import acted, card_bought

pytestmark = pytest.mark.django_db


def test_a_terminal_finds_its_unfinished_plays_and_staff_move_them(
    place: Point, emission: Emission
) -> None:
    play = card_bought(place, emission)["uuid"]
    acted(place, card_bought(place, emission)["uuid"])
    neighbour = factories.point(place.premises)
    assert [each["uuid"] for each in _unfinished(place)] == [play]
    move = f"promotrot/office/plays/{play}/move"
    body = {"terminal": neighbour.terminal.code, "reason": "Dark screen"}
    refused(staff_api(Role.AUDITOR).post(move, body), 403, "power_missing")
    organiser = staff_api(Role.ORGANISER)
    refused(organiser.post(move, body | {"terminal": "NOWHERE"}), 409, "play_move_refused")
    for _ in range(2):
        assert organiser.post(move, body, Idempotency_Key="k" * 16).status_code == 200
    assert _unfinished(place) == []
    assert [each["uuid"] for each in _unfinished(neighbour)] == [play]
    assert PlayMove.objects.count() == 1
    assert acted(neighbour, play).status_code == 201


def _unfinished(place: Point) -> list[dict[str, Any]]:
    page = terminal_api(place).get("promotrot/terminal/plays").json()
    return list(page["items"])


def test_staff_see_every_act_as_it_was_drawn_and_no_code(place: Point) -> None:
    ladder = emitting.opened(emitting.document("trotters-ladder"))
    card = card_bought(place, ladder)
    acted(place, card["uuid"], {"number": 1, "act": "trot"})
    auditor = staff_api(Role.AUDITOR)
    record = auditor.get(f"promotrot/office/plays/{card['uuid']}").json()
    assert [each["act"] for each in record["acts"]] == ["trot"]
    listed = auditor.get("promotrot/office/plays", emission=ladder.reference).json()["items"]
    assert [each["uuid"] for each in listed] == [card["uuid"]]
    assert "code" not in str(record).replace("terminal_code", "")
    refused(staff_api(Role.STEWARDS).get("promotrot/office/plays"), 403, "power_missing")


def test_positions_are_for_who_audits_them_after_the_closing(
    place: Point, emission: Emission
) -> None:
    """With them and the plan a member of staff counts the prizes left in the block on sale."""
    play = card_bought(place, emission)["uuid"]
    acted(place, play)

    def seen(role: Role) -> set[Any]:
        staff = staff_api(role)
        one = staff.get(f"promotrot/office/plays/{play}").json()
        (listed,) = staff.get("promotrot/office/plays").json()["items"]
        return {each[name] for each in (one, listed) for name in ("opening", "position")}

    everybody = (Role.ORGANISER, Role.CASHIER, Role.SUPERVISOR, Role.INSPECTOR, Role.AUDITOR)
    assert [seen(role) for role in everybody] == [{None}] * 5
    emitting.closed(emission)
    assert [seen(role) for role in everybody] == [*[{None}] * 3, *[{0}] * 2]

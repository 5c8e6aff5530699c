"""Conduct draws in the admin."""

from typing import Any

import pytest

from core.database import clock
from core.staff.models import User
from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk
from tests.support.urn import PHRASE, Hall, hall

pytestmark = pytest.mark.django_db


@pytest.fixture
def room(monkeypatch: Any) -> Hall:
    return hall(monkeypatch)


def test_the_admin_takes_a_draw_through_with_its_countdown(room: Hall) -> None:
    organiser, inspector = Desk(Role.ORGANISER), Desk(Role.INSPECTOR)
    assert "data-seconds-left" in organiser.get("/admin/")
    page = f"/admin/draws/draw/{room.draw.pk}/change/"
    assert "data-seconds-left" in organiser.get(page)
    organiser.refused(room.draw, "commit", "draw_inspector_needed")
    organiser.do(room.draw, "announce", place="Palma", planned_at="2030-03-02T12:00:00")
    inspector.do(room.draw, "attend")
    organiser.do(room.draw, "commit")
    organiser.do(room.draw, "enter", source="phrase", text=PHRASE, witness="Una jugadora")
    assert "data-seconds-left" not in organiser.get(page)
    assert not organiser.offers(room.draw, "enter")
    inspector.do(room.draw, "certify", late_cause="", observations="")
    shown = organiser.get(page)
    assert PHRASE in shown and "minutes.pdf?lang=ca" in shown and "minutes.pdf?lang=es" in shown
    assert User.objects.get(pk=inspector.person.pk).full_name in shown


def test_the_admin_enters_balls_by_two_persons_and_marks_what_is_late(room: Hall) -> None:
    factories.time_pass(hours=2, minutes=1)
    desk = Desk(Role.ORGANISER)
    assert "Late" in desk.get("/admin/draws/draw/")
    local = clock.now().astimezone().strftime("%Y-%m-%dT%H:%M:%S")
    desk.do(
        room.draw,
        "balls",
        order="5, 1,8,2, 3",
        drawn_at=local,
        place="Palma",
        witness="Notari",
        cause="Tall de llum",
    )

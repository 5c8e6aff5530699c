"""Conduct draws in the admin."""

from datetime import timedelta

import pytest

from core.database import clock
from core.draws.models import Abandonment
from core.staff.models import User
from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk, act_url, as_typed, confirm_pending
from tests.support.urn import PHRASE, Hall

pytestmark = pytest.mark.django_db


def at_the_announced_time(room: Hall, *desks: Desk) -> None:
    """Wait for the draw, longer than a browser's session lasts without an act."""
    factories.announced_time(room.draw)
    for desk in desks:
        desk.sign_on()


def test_the_admin_takes_a_draw_through_with_its_countdown(room: Hall) -> None:
    organiser, inspector = Desk(Role.ORGANISER), Desk(Role.INSPECTOR)
    assert "data-seconds-left" in organiser.get("/admin/")
    page = f"/admin/draws/draw/{room.draw.pk}/change/"
    assert "data-seconds-left" in organiser.get(page)
    organiser.refused(room.draw, "commit", "draw_inspector_needed", source="dice", pieces="10")
    soon = as_typed(clock.now() + timedelta(minutes=30))
    organiser.do(room.draw, "announce", place="Palma", planned_at=soon)
    inspector.do(room.draw, "attend")
    at_the_announced_time(room, organiser, inspector)
    organiser.refused(room.draw, "commit", "draw_place_unregistered", source="phrase", pieces="")
    inspector.do(room.draw, "justify", reason="La seu és tancada per obres")
    assert not inspector.offers(room.draw, "justify")
    organiser.do(room.draw, "commit", source="phrase", pieces="")
    assert not organiser.offers(room.draw, "enter")
    inspector.do(room.draw, "enter", source="phrase", text=PHRASE, witness="Una jugadora")
    assert "data-seconds-left" not in organiser.get(page)
    assert not inspector.offers(room.draw, "enter")
    inspector.do(room.draw, "certify", late_cause="", observations="")
    announced = organiser.get(page)
    assert "La seu és tancada per obres" in announced
    assert (
        PHRASE in announced
        and "minutes.pdf?lang=ca" in announced
        and "minutes.pdf?lang=es" in announced
    )
    assert User.objects.get(pk=inspector.person.pk).full_name in announced


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
        witness="Notari",
        cause="Tall de llum",
    )
    assert not desk.offers(room.draw, "abandon")


def test_inspector_and_organiser_abandon_a_draw_in_the_admin(room: Hall) -> None:
    organiser, inspector = Desk(Role.ORGANISER), Desk(Role.INSPECTOR)
    inspector.do(room.draw, "attend")
    at_the_announced_time(room, organiser, inspector)
    organiser.do(room.draw, "commit", source="dice", pieces="12")
    assert "12" in inspector.get(act_url(room.draw, "abandon"))
    inspector.do(room.draw, "abandon", reason="Tall de llum")
    confirm_pending("draws.abandonment", Role.ORGANISER)
    page = organiser.get(f"/admin/draws/draw/{room.draw.pk}/change/")
    assert bytes(Abandonment.objects.get().secret).hex() in page and "Tall de llum" in page

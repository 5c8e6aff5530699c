"""Announce a public draw to players: at terminals, on the race and in the public list."""

import pytest

from core.draws.models import Draw
from core.staff.powers import Role
from lototrot.services.seal.sealing import contest_seal
from tests.support import factories
from tests.support.api import Api, staff_api, terminal_api

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.5.4.2")
def test_a_declaration_and_its_result_reach_every_terminal_and_anybody() -> None:
    place = factories.central_office()
    contest, point = factories.contest(), factories.point()
    race = factories.races_of(contest)[0]
    organiser, inspector = staff_api(Role.ORGANISER), staff_api(Role.INSPECTOR)
    declared = organiser.post(
        f"lototrot/races/{race.pk}/declaration",
        {"kind": "not_run", "reason": "Storm"},
    )
    proposal = declared.json()["proposal"]
    confirmed = staff_api(Role.ORGANISER).post(f"proposals/{proposal}/confirmation")
    assert confirmed.status_code == 200, confirmed.content
    terminal = terminal_api(point)
    (draw,) = terminal.get("lototrot/terminal/contests", lang="es").json()["draws"]
    assert draw["place"] == place and draw["state"] == "announced"
    assert draw["order"] == [] and draw["planned_at"] < draw["due_at"]
    path = f"draws/{draw['draw']}"
    assert Api().get(path).json()["place"] == draw["place"]
    assert organiser.get(f"lototrot/races/{race.pk}").json()["draw"] == draw["draw"]
    inspector.post(f"{path}/attendance")
    factories.announced_time(Draw.objects.get())
    dice = {"source": "dice", "pieces": 10}
    assert organiser.post(f"{path}/commitment", dice).json()["code"] == "contest_not_sealed"
    contest_seal(contest_id=contest.pk)
    assert organiser.post(f"{path}/commitment", dice).status_code == 201
    entropy = {"source": "dice", "text": "3161425364", "witness": "Una jugadora"}
    order = inspector.post(f"{path}/entropy", entropy).json()["order"]
    (draw,) = terminal.get("lototrot/terminal/contests").json()["draws"]
    assert draw["state"] == "drawn" and draw["order"] == [], "not official yet"
    assert inspector.post(f"{path}/certificate").status_code == 201
    (draw,) = terminal.get("lototrot/terminal/contests").json()["draws"]
    assert draw["order"] == order
    answer = organiser.get(f"lototrot/races/{race.pk}").json()
    assert answer["state"] == "drawn" and answer["winners"] == [int(order[0])]

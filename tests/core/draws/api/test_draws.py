"""Conduct draws over HTTP: everyone reads, and each role does its steps."""

import hashlib
import json
from datetime import timedelta

import pytest

from core.database import clock
from core.staff.powers import Role
from tests.support import factories
from tests.support.api import Api, refused, staff_api
from tests.support.urn import PHRASE, Hall

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_a_whole_draw_over_http(room: Hall) -> None:
    public = Api(**{"Accept-Language": "es"})
    organiser, inspector = staff_api(Role.ORGANISER), staff_api(Role.INSPECTOR)
    path = f"draws/{room.draw.uuid}"
    answer = public.get("draws", state="announced").json()["items"]
    assert [each["title"] for each in answer] == ["Urna"]
    refused(public.get(f"{path}/minutes.json"), 404, "minutes_unknown")
    refused(public.get(f"{path}/field.json"), 409, "draw_not_drawn")
    soon = (clock.now() + timedelta(minutes=11)).isoformat()
    moved = {"place": factories.central_office(), "planned_at": soon}
    reply = organiser.post(f"{path}/announcement", moved).json()
    assert (reply["place"], reply["at_office"]) == (factories.central_office(), True)
    phrase = {"source": "phrase"}
    refused(organiser.post(f"{path}/commitment", phrase), 409, "draw_inspector_needed")
    refused(organiser.post(f"{path}/attendance"), 403, "power_missing")
    assert inspector.post(f"{path}/attendance").status_code == 201
    factories.announced_time(room.draw)
    committed = organiser.post(f"{path}/commitment", phrase).json()
    assert committed["state"] == "committed" and committed["secret"] is None
    assert committed["means"] == {"source": "phrase", "pieces": None}
    body = {"source": "phrase", "text": PHRASE, "witness": "Una jugadora"}
    refused(organiser.post(f"{path}/entropy", body), 403, "power_missing")
    refused(inspector.post(f"{path}/entropy", body | {"text": "short"}), 422, "entropy_too_little")
    drawn = inspector.post(f"{path}/entropy", body).json()
    assert drawn["entropy"]["text"] == PHRASE and len(drawn["order"]) == 5
    refused(inspector.post(f"{path}/entropy", body | {"text": PHRASE + "!"}), 409, "entropy_given")
    refused(staff_api(Role.INSPECTOR).post(f"{path}/certificate"), 403, "draw_inspector_absent")
    reply = inspector.post(f"{path}/certificate", {"observations": "Cap"}).json()
    assert reply["state"] == "certified" and reply["late"] is False
    assert set(reply["log"]) == {"draws.commitment", "draws.outcome", "draws.minutes"}
    field = public.get(f"{path}/field.json")
    assert hashlib.sha256(field.content).hexdigest() == reply["field_sha256"]
    assert json.loads(field.content) == reply["entries"]
    minutes = public.get(f"{path}/minutes.json").json()
    assert minutes["document"]["order"] == reply["order"] == public.get(path).json()["order"]

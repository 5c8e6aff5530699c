"""Take the steps of draws over HTTP, and see each refusal by its code [B16]."""

from datetime import timedelta

import pytest

from core.database import clock
from core.staff.powers import Role
from tests.support import factories
from tests.support.api import Api, refused, staff_api
from tests.support.openapi import committed
from tests.support.urn import Hall

pytestmark = pytest.mark.django_db


def test_a_place_elsewhere_needs_the_inspector_s_reason(room: Hall) -> None:
    organiser, inspector = staff_api(Role.ORGANISER), staff_api(Role.INSPECTOR)
    path = f"draws/{room.draw.uuid}"
    refused(inspector.post(f"{path}/place-reason", {"reason": "x"}), 403, "draw_inspector_absent")
    inspector.post(f"{path}/attendance")
    refused(inspector.post(f"{path}/place-reason", {"reason": "x"}), 409, "draw_place_registered")
    planned_at = (clock.now() + timedelta(minutes=12)).isoformat()
    organiser.post(f"{path}/announcement", {"place": "Bar", "planned_at": planned_at})
    answer = inspector.post(f"{path}/place-reason", {"reason": "Flood"}).json()
    assert (answer["at_office"], answer["place_reason"]) == (False, "Flood")
    refused(inspector.post(f"{path}/place-reason", {"reason": " "}), 422, "fields_invalid")


def test_only_a_committed_draw_is_abandoned_and_once(room: Hall) -> None:
    organiser, inspector = staff_api(Role.ORGANISER), staff_api(Role.INSPECTOR)
    path = f"draws/{room.draw.uuid}"
    inspector.post(f"{path}/attendance")
    body = {"reason": "Power cut"}
    refused(inspector.post(f"{path}/abandonment", body), 409, "draw_not_committed")
    factories.announced_time(room.draw)
    organiser.post(f"{path}/commitment", {"source": "balls", "pieces": 6})
    key = {"Idempotency_Key": "abandon-1"}
    answer = inspector.post(f"{path}/abandonment", body, **key).json()
    assert inspector.post(f"{path}/abandonment", body, **key).json() == answer
    refused(inspector.post(f"{path}/abandonment", body), 409, "proposal_pending")
    assert organiser.post(f"proposals/{answer['proposal']}/confirmation").status_code == 200
    refused(inspector.post(f"{path}/abandonment", body), 409, "draw_over")
    draw = Api().get(path).json()
    assert (draw["state"], draw["abandoned"]) == ("abandoned", "Power cut")


def test_balls_over_http_wait_for_the_second_person(room: Hall) -> None:
    one, inspector = staff_api(Role.ORGANISER), staff_api(Role.INSPECTOR)
    factories.announced_time(room.draw)
    inspector.post(f"draws/{room.draw.uuid}/attendance")
    body = {
        "order": ["5", "1", "8", "2", "3"],
        "drawn_at": clock.now().isoformat(),
        "witness": "Notari",
        "cause": "Tall de llum",
    }
    answer = one.post(f"draws/{room.draw.uuid}/balls", body).json()
    rejection = "proposals/{proposal}/rejection"
    _is_refused_as_documented(one, rejection, answer["proposal"], 409, "draw_balls_entered")
    assert inspector.post(f"proposals/{answer['proposal']}/confirmation").status_code == 200
    assert Api().get(f"draws/{room.draw.uuid}").json()["method"] == "balls"


def _is_refused_as_documented(by: Api, path: str, proposal: str, status: int, code: str) -> None:
    refused(by.post(path.format(proposal=proposal), {"reason": "x"}), status, code)
    operation = committed()["paths"][f"/api/v1/{path}"]["post"]
    assert f"* `{code}`: " in operation["responses"][str(status)]["description"]

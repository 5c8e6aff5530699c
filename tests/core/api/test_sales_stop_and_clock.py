"""Suspensions of sales, and the clock that every answer shows."""

import datetime

import pytest
from django.conf import LazySettings

from core.database import clock
from core.database.models import ClockOffset
from core.premises.models import Suspension
from tests.support import factories
from tests.support.api import Api, refused, terminal_api

pytestmark = pytest.mark.django_db


def test_sales_are_suspended_and_resumed(organiser: Api, auditor: Api) -> None:
    point = factories.point()
    for body in (
        {"reason": "All."},
        {"reason": "One place.", "premises": point.premises.code},
        {"reason": "One machine.", "terminal": point.terminal.code},
    ):
        made = organiser.post("suspensions", body)
        assert made.status_code == 201
        assert made.json()["lifted_at"] is None
    standing = auditor.get("suspensions").json()["items"]
    assert [(s["premises"], s["terminal"]) for s in standing] == [
        (None, None),
        (point.premises.code, None),
        (None, point.terminal.code),
    ]
    first = standing[0]["id"]
    assert organiser.post(f"suspensions/{first}/lifting").json()["lifted_at"]
    refused(organiser.post(f"suspensions/{first}/lifting"), 404, "suspension_unknown")
    assert len(auditor.get("suspensions").json()["items"]) == 2
    assert len(auditor.get("suspensions", in_force="false").json()["items"]) == 3


def test_suspensions_that_are_refused(organiser: Api, auditor: Api) -> None:
    point = factories.point()
    both = {"reason": "x", "premises": point.premises.code, "terminal": point.terminal.code}
    refused(organiser.post("suspensions", both), 422, "suspension_scope")
    for scope, code in (("premises", "premises_unknown"), ("terminal", "terminal_not_found")):
        refused(organiser.post("suspensions", {"reason": "x", scope: "NO-1"}), 404, code)
    refused(organiser.post("suspensions", {}), 422, "fields_invalid")
    refused(auditor.post("suspensions", {"reason": "x"}), 403, "power_missing")
    refused(auditor.post("suspensions/1/lifting"), 403, "power_missing")
    refused(organiser.post("suspensions/99999999999999999999/lifting"), 404, "route_unknown")
    refused(auditor.get("suspensions", in_force="perhaps"), 422, "fields_invalid")
    assert not Suspension.objects.exists()


def _instant(text: str) -> datetime.datetime:
    assert text.endswith("Z")
    return datetime.datetime.fromisoformat(text)


def test_real_time_is_shown_and_does_not_move(anybody: Api, organiser: Api) -> None:
    response = anybody.get("clock")
    assert response.json()["is_simulated"] is False
    assert response.json()["offset_s"] == 0
    assert "X-Simulated-Time" not in response.headers
    near = abs(_instant(response.headers["X-Server-Time"]) - clock.now())
    assert near < datetime.timedelta(seconds=30)
    body = {"now": "2099-01-01T00:00:00Z", "reason": "No."}
    refused(organiser.post("clock", body), 403, "simulated_time_refused")
    assert not ClockOffset.objects.exists()


def test_simulated_time_moves_forward_and_is_marked(
    anybody: Api, organiser: Api, auditor: Api, settings: LazySettings
) -> None:
    settings.SIMULATED_TIME = True
    body = {"now": "2099-01-01T00:00:00Z", "reason": "Demonstration."}
    refused(anybody.post("clock", body), 401, "credentials_missing")
    refused(auditor.post("clock", body), 403, "power_missing")
    moved = organiser.post("clock", body)
    assert moved.status_code == 200
    assert _instant(moved.json()["now"]).year == 2099
    # The staff session of 2026 has ended by then; a terminal's "who am I" tells the new time.
    point = factories.point()
    me = terminal_api(point).get("terminal")
    assert me.json()["is_simulated"] is True
    for response in (me, anybody.get("clock"), anybody.get("nowhere"), moved):
        assert response.headers["X-Simulated-Time"].startswith("+P")
        assert _instant(response.headers["X-Server-Time"]).year == 2099


def test_simulated_time_does_not_go_back(organiser: Api, settings: LazySettings) -> None:
    settings.SIMULATED_TIME = True
    past = {"now": "2001-01-01T00:00:00Z", "reason": "Back."}
    refused(organiser.post("clock", past), 422, "clock_backwards")
    refused(organiser.post("clock", {**past, "now": "yesterday"}), 422, "fields_invalid")

"""Read the clock in the responses, and move simulated time through the API."""

import datetime

import pytest
from django.conf import LazySettings

from core.database import clock
from core.database.models import ClockOffset
from tests.support import factories
from tests.support.api import Api, refused, terminal_api

pytestmark = pytest.mark.django_db


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


def _instant(text: str) -> datetime.datetime:
    assert text.endswith("Z")
    return datetime.datetime.fromisoformat(text)

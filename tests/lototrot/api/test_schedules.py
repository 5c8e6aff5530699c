"""The closing is moved earlier by one, later by two, and published at once (14.III.4) [E13]."""

from datetime import timedelta

import pytest

from core.staff.powers import Role
from lototrot.models.contest import Contest
from tests.support import factories as f
from tests.support.api import refused, staff_api

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4")]


def test_a_delayed_start_is_announced_before_the_closing_moves(contest: Contest) -> None:
    organiser, steward = staff_api(Role.ORGANISER), staff_api(Role.STEWARDS)
    path, race = f"lototrot/contests/{contest.pk}/schedule", f.races_of(contest)[0]
    later = {
        "scheduled_close_at": (contest.scheduled_close_at + timedelta(minutes=5)).isoformat(),
        "reason": "Delayed",
    }
    refused(organiser.post(f"{path}/postponement", later), 409, "after_announced_start")
    announced = steward.post(
        f"lototrot/races/{race.pk}/announced-start",
        {"start_at": later["scheduled_close_at"], "source": "Stewards"},
    )
    assert announced.status_code == 201, announced.content
    proposal = organiser.post(f"{path}/postponement", later).json()["proposal"]
    confirmation = f"proposals/{proposal}/confirmation"
    refused(staff_api(Role.ORGANISER).post(confirmation), 403, "power_missing")
    assert steward.post(confirmation).status_code == 200
    (entry,) = organiser.get("log", kind="lototrot.schedule").json()["items"]
    assert entry["subject"] == f"contest:{contest.pk}:1"


def test_what_is_announced_is_checked(contest: Contest) -> None:
    race = f.races_of(contest)[0]
    path = f"lototrot/races/{race.pk}/announced-start"
    body = {"start_at": "2020-01-01T00:00:00Z", "source": "Stewards"}
    refused(staff_api(Role.STEWARDS).post(path, body), 422, "announced_in_the_past")
    refused(staff_api(Role.ORGANISER).post(path, body), 403, "power_missing")

"""Stops of sales through the API (14.III.4) [E12]."""

import pytest

from core.premises.models import Premises
from core.staff.powers import Role
from lototrot.models.contest import Contest
from tests.support import factories as f
from tests.support.api import refused, staff_api, terminal_api

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest() -> Contest:
    return f.contest()


def test_a_race_and_a_meeting_are_stopped_and_lifted(contest: Contest) -> None:
    one, other = staff_api(Role.STEWARDS), staff_api(Role.STEWARDS)
    race = f.races_of(contest)[0]
    path, body = f"lototrot/races/{race.pk}/stop", {"source": "The horses are off"}
    stop = one.post(path, body).json()
    assert (stop["race"], stop["ending"], stop["proposal"]) == (race.pk, "", None)
    assert one.post(path, body).json()["id"] == stop["id"]
    whole = other.post(
        f"lototrot/meetings/{contest.meeting_id}/stop", {"source": "Fire"}, status=201
    ).json()
    assert whole["race"] is None
    listed = one.get("lototrot/stops", standing="true").json()["items"]
    assert [row["id"] for row in listed] == [whole["id"], stop["id"]]
    for row in (stop, whole):
        lifting = one.post(f"lototrot/stops/{row['id']}/lifting", {"reason": "False"}).json()
        refused(one.post(f"proposals/{lifting['proposal']}/confirmation"), 403, "same_person")
        other.post(f"proposals/{lifting['proposal']}/confirmation")
    contest.refresh_from_db()
    assert contest.state == "open"
    refused(one.post(f"lototrot/stops/{stop['id']}/lifting", {"reason": "x"}), 409, "stop_ended")


def test_a_stop_is_refused_with_its_own_code(contest: Contest) -> None:
    one = staff_api(Role.STEWARDS)
    body = {"source": "x"}
    refused(one.post("lototrot/races/999999/stop", body), 404, "race_unknown")
    refused(one.post("lototrot/meetings/999999/stop", body), 404, "meeting_unknown")
    refused(one.post("lototrot/stops/999999/lifting", {"reason": "x"}), 404, "stop_unknown")
    path = f"lototrot/meetings/{contest.meeting_id}/stop"
    refused(staff_api(Role.ORGANISER).post(path, body), 403, "power_missing")
    f.contest_closed(contest, sealed=False)
    refused(one.post(path, body), 409, "nothing_on_sale")


def test_a_device_is_appointed_signals_and_is_ended() -> None:
    contest = f.contest()
    race = f.races_of(contest)[0]
    point = f.point(f.premises(Premises.Kind.RACECOURSE_POINT))
    one, other = staff_api(Role.STEWARDS), staff_api(Role.STEWARDS)
    path, bare = f"lototrot/races/{race.pk}/signal", terminal_api(point, signed_on=False)
    refused(bare.prove(path, {}), 403, "not_signal_device")
    body = {"terminal": point.terminal.code, "racecourse": race.racecourse.code}
    proposal = one.post("lototrot/signal-devices", body).json()["proposal"]
    refused(one.post(f"proposals/{proposal}/confirmation"), 403, "same_person")
    other.post(f"proposals/{proposal}/confirmation")
    refused(bare.post(path, {}), 401, "proof_missing")
    stop = bare.prove(path, {}).json()
    assert (stop["race"], stop["source"]) == (race.pk, "A signal from the course")
    assert bare.prove(path, {}).json()["id"] == stop["id"]
    assert Contest.objects.get(pk=contest.pk).state == Contest.State.STOPPED
    (device,) = one.get("lototrot/signal-devices").json()["items"]
    assert (device["terminal"], device["ended_at"]) == (point.terminal.code, None)
    end = f"lototrot/signal-devices/{device['id']}/end"
    refused(staff_api(Role.ORGANISER).post(end), 403, "power_missing")
    assert one.post(end, status=200).json()["ended_at"]
    refused(bare.prove(path, {}), 403, "not_signal_device")
    refused(one.post("lototrot/signal-devices/999999/end"), 404, "signal_device_unknown")

"""Moving the closing later needs two, is public, and never passes the announced start [E13]."""

from datetime import date

import pytest

from tests.support import factories
from tests.support.api import refused
from tests.support.lototrot.meeting_by_api import Staff, at, contest_on_sale, ok, sold

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4")]
SUNDAY = date(2030, 6, 9)
SEVEN = [1] * 7


@pytest.fixture
def staff() -> Staff:
    factories.time_to(at(SUNDAY, 12))
    return Staff()


@pytest.fixture
def contest(staff: Staff) -> dict:
    return contest_on_sale(staff, SUNDAY)


def published(staff: Staff) -> list[tuple[int, int]]:
    """Return the number of each move in the public log, and how many persons made it."""
    entries = ok(staff.organiser.get("log", kind="lototrot.schedule"))["items"]
    documents = [entry["document"] for entry in entries]
    return sorted((document["number"], document["persons"]) for document in documents)


def test_earlier_takes_one_and_later_two(staff: Staff, contest: dict) -> None:
    path = f"lototrot/contests/{contest['id']}/schedule"
    race = ok(staff.organiser.get(f"lototrot/contests/{contest['id']}"))["legs"][0]["race"]
    earlier = {"scheduled_close_at": at(SUNDAY, 16, 50).isoformat()}
    ok(staff.organiser.post(path, earlier))
    assert published(staff) == [(1, 1)]
    later = {"scheduled_close_at": at(SUNDAY, 17, 10).isoformat()}
    refused(staff.organiser.post(path, later), 409, "schedule_later")
    later |= {"reason": "The first race is delayed"}
    refused(staff.organiser.post(f"{path}/postponement", later), 409, "after_announced_start")
    announced = {"start_at": at(SUNDAY, 17, 10).isoformat(), "source": "Stewards"}
    ok(staff.steward.post(f"lototrot/races/{race['id']}/announced-start", announced))
    beyond = later | {"scheduled_close_at": at(SUNDAY, 17, 10, 1).isoformat()}
    refused(staff.organiser.post(f"{path}/postponement", beyond), 409, "after_announced_start")
    proposal = staff.organiser.post(f"{path}/postponement", later)
    ident = ok(proposal)["proposal"]
    refused(staff.organiser.post(f"proposals/{ident}/confirmation"), 403, "same_person")
    refused(staff.second.post(f"proposals/{ident}/confirmation"), 403, "power_missing")
    assert published(staff) == [(1, 1)]
    ok(staff.confirmed(proposal, staff.steward))
    assert published(staff) == [(1, 1), (2, 2)]
    factories.time_to(at(SUNDAY, 17, 9))
    ok(sold(factories.point(), contest, SEVEN))
    factories.time_to(at(SUNDAY, 17, 10))
    refused(sold(factories.point(), contest, SEVEN), 409, "contest_closed")
    refused(staff.organiser.post(path, earlier), 409, "contest_not_on_sale")

"""One organiser calls a meeting off in one request, two days ahead: sales only stop [B17, E12].

`meetings/{id}/declaration` closed a contest with 72,582 tickets for good. Now it needs the text of
the Federation or of the authority, stops sales, and waits for a second person, who confirms it or
rejects it (14.III.5.4.2).
"""

from datetime import date, timedelta

import pytest

from lototrot.models.running import RaceDeclaration
from tests.support import factories
from tests.support.api import refused
from tests.support.lototrot.meeting_by_api import Staff, at, contest_on_sale, ok, sold

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.2", "14.III.4")]
SUNDAY = date(2030, 6, 9)
SEVEN = [1] * 7


@pytest.fixture
def staff() -> Staff:
    factories.time_to(at(SUNDAY - timedelta(days=2), 11))
    return Staff()


@pytest.fixture
def contest(staff: Staff) -> dict:
    return contest_on_sale(staff, SUNDAY)


def state(staff: Staff, contest: dict) -> str:
    return ok(staff.organiser.get(f"lototrot/contests/{contest['id']}"))["state"]


def test_it_stops_until_a_second_person_rejects_or_confirms(staff: Staff, contest: dict) -> None:
    point, path = factories.point(), f"lototrot/meetings/{contest['meeting']}/declaration"
    ok(sold(point, contest, SEVEN))
    body = {"reason": "Storm warning"}
    for alone in (body, body | {"text": "Acta", "author": "stewards"}):
        refused(staff.organiser.post(path, alone), 422, "authority_text_missing")
    assert state(staff, contest) == "open"
    body |= {"text": "Resolució 12/2030", "author": "authority"}
    proposal = ok(staff.organiser.post(path, body))["proposal"]
    assert state(staff, contest) == "stopped"
    refused(sold(point, contest, SEVEN), 409, "sales_stopped")
    refused(staff.organiser.post(path, body), 409, "proposal_pending")
    refused(staff.organiser.post(f"proposals/{proposal}/confirmation"), 403, "same_person")
    assert not RaceDeclaration.objects.exists()
    ok(staff.second.post(f"proposals/{proposal}/rejection", {"reason": "Another Sunday"}))
    assert state(staff, contest) == "open"
    ok(sold(point, contest, SEVEN))
    ok(staff.confirmed(staff.organiser.post(path, body), staff.second_steward))
    assert state(staff, contest) == "closed"
    refused(sold(point, contest, SEVEN), 409, "contest_closed")
    assert RaceDeclaration.objects.count() == 7


def test_who_takes_it_back_alone_does_not_let_sales_go_on(staff: Staff, contest: dict) -> None:
    path = f"lototrot/meetings/{contest['meeting']}/declaration"
    body = {"reason": "Storm", "text": "Resolució 12/2030", "author": "federation"}
    proposal = ok(staff.organiser.post(path, body))["proposal"]
    ok(staff.organiser.post(f"proposals/{proposal}/rejection", {"reason": "Mistake"}))
    assert state(staff, contest) == "stopped"
    (stop,) = ok(staff.steward.get("lototrot/stops", standing="true"))["items"]
    lifting = staff.steward.post(f"lototrot/stops/{stop['id']}/lifting", {"reason": "Mistake"})
    ok(staff.confirmed(lifting, staff.second_steward))
    assert state(staff, contest) == "open"

"""Import programmes, record their approval and read posters through the API."""

import json
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from core.staff.powers import Role
from lototrot.engine.programme import MAX_BYTES
from lototrot.models.programme import FederationApproval, Meeting, Runner
from lototrot.sample.facts import SON_PARDO, programme_file
from lototrot.services.tickets.putting_on_sale import contest_publish
from tests.support import factories
from tests.support.api import Api, places, refused

pytestmark = pytest.mark.django_db


RULES = {"ca": "Reglament.\nSegona línia.", "es": "Reglamento.", "en": "Rules."}


APPROVAL = {
    "approved_by": "Federació Balear de Trot",
    "approved_at": "2026-01-02T10:00:00+01:00",
    "reference": "FBT 1/2027",
}


def imported(api: Api) -> Any:
    return api.raw("lototrot/programmes", programme_file(SON_PARDO))


@pytest.mark.article("14.I.2", "14.III.5.2")
def test_a_programme_by_json_and_by_csv_is_one_meeting(organiser: Api) -> None:
    first = imported(organiser)
    assert first.status_code == 201, first.content
    again = organiser.raw("lototrot/programmes", programme_file(SON_PARDO, "csv"), "text/csv")
    assert again.json() == first.json()
    assert first.json()["approval"] is None
    assert Meeting.objects.count() == 1


def thousand_lines() -> list[str]:
    """Return a header and 1,000 runners: 40 races of 25, fifteen minutes apart."""
    names = (
        "meeting_day,meeting_name,meeting_reference,racecourse_code,racecourse_name,"
        "racecourse_timezone,racecourse_municipality,racecourse_country,race_number,race_name,"
        "race_scheduled_start,runner_number,runner_name"
    )
    lines = [names]
    for race in range(1, 41):
        start = datetime(2027, 4, 10, 10, tzinfo=UTC) + timedelta(minutes=15 * race)
        prefix = "2027-04-10,Gran,P-1000,SONPARDO,Son Pardo,UTC,Palma,ES"
        prefix += f",{race},Cursa {race},{start.isoformat()}"
        lines += [f"{prefix},{number},Cavall {number}" for number in range(1, 26)]
    return lines


def test_one_bad_line_in_a_thousand(organiser: Api) -> None:
    lines = thousand_lines()
    bad = [*lines[:700], lines[700].replace(",Cavall 25", ","), *lines[701:]]
    response = organiser.raw("lototrot/programmes", "\n".join(bad), "text/csv")
    (error,) = refused(response, 422, "programme_invalid")["data"]["errors"]
    assert (error["place"], error["code"]) == ("line 701, column 13 (runner_name)", "missing_field")
    assert error["message"]
    assert not Meeting.objects.exists()
    assert organiser.raw("lototrot/programmes", "\n".join(lines), "text/csv").status_code == 201
    assert Runner.objects.count() == 1000


def test_every_error_of_a_json_programme(organiser: Api) -> None:
    document = json.loads(programme_file(SON_PARDO))
    document["meeting"]["day"] = "2027-02-30"
    document["races"][1]["runners"][0]["number"] = 32
    document["extra"] = 1
    problem = refused(organiser.post("lototrot/programmes", document), 422, "programme_invalid")
    codes_by_place = {error["place"]: error["code"] for error in problem["data"]["errors"]}
    assert codes_by_place == {
        "/meeting/day": "bad_date",
        "/races/1/runners/0/number": "out_of_range",
        "/extra": "unknown_field",
    }
    assert not Meeting.objects.exists()


def test_programmes_refused_before_they_are_read(organiser: Api, steward: Api) -> None:
    path = "lototrot/programmes"
    refused(organiser.raw(path, b"x", "application/xml"), 415, "unsupported_media_type")
    refused(organiser.raw(path, b"x" * (MAX_BYTES + 1), "text/csv"), 413, "body_too_large")
    refused(organiser.raw(path, b"\xff", "text/csv"), 422, "programme_invalid")
    refused(organiser.raw(path, b"{"), 422, "programme_invalid")
    refused(imported(steward), 403, "power_missing")
    refused(imported(Api()), 401, "credentials_missing")
    assert not Meeting.objects.exists()


def test_another_programme_under_the_same_reference(organiser: Api) -> None:
    imported(organiser)
    document = json.loads(programme_file(SON_PARDO))
    document["races"][0]["name"] = "Un altre nom"
    refused(organiser.post("lototrot/programmes", document), 409, "programme_recorded")
    document["meeting"]["reference"] = "DEMO-B"
    document["racecourses"][0]["country"] = "FR"
    refused(organiser.post("lototrot/programmes", document), 409, "racecourse_differs")
    assert Meeting.objects.count() == 1


def test_meetings_and_racecourses_are_listed(organiser: Api, steward: Api) -> None:
    meeting = imported(organiser).json()
    other = factories.meeting()
    listed = steward.get("lototrot/meetings").json()["items"]
    assert [each["id"] for each in listed] == [other.pk, meeting["id"]]
    day = steward.get("lototrot/meetings", day=meeting["day"]).json()["items"]
    assert [each["id"] for each in day] == [meeting["id"]]
    refused(steward.get("lototrot/meetings", day="yesterday"), 422, "fields_invalid")
    courses = steward.get("lototrot/racecourses").json()["items"]
    assert {"SONPARDO"} & {course["code"] for course in courses}
    refused(Api().get("lototrot/meetings"), 401, "credentials_missing")


def test_a_meeting_with_its_races(organiser: Api) -> None:
    meeting = imported(organiser).json()
    answer = organiser.get(f"lototrot/meetings/{meeting['id']}").json()
    document = json.loads(programme_file(SON_PARDO))
    assert len(answer["races"]) == len(document["races"])
    race = answer["races"][0]
    assert race["state"] == "scheduled"
    assert race["winners"] == []
    assert race["actual_start_at"] is None
    names = {runner["number"]: runner["name"] for runner in race["runners"]}
    assert names == {r["number"]: r["name"] for r in document["races"][0]["runners"]}
    assert race["runners"][0]["trace"] == [race["runners"][0]["number"]]
    assert organiser.get(f"lototrot/races/{race['id']}").json() == race
    refused(organiser.get("lototrot/meetings/999999"), 404, "meeting_unknown")
    refused(organiser.get("lototrot/races/999999"), 404, "race_unknown")
    refused(organiser.get(f"lototrot/meetings/{10**30}"), 404, "route_unknown")


@pytest.mark.article("14.III.5.2")
def test_the_approval_is_recorded_once(organiser: Api, steward: Api) -> None:
    path = f"lototrot/meetings/{imported(organiser).json()['id']}"
    refused(steward.post(f"{path}/approval", APPROVAL), 403, "power_missing")
    first = organiser.post(f"{path}/approval", APPROVAL)
    assert first.status_code == 201
    assert first.json()["approved_at"] == "2026-01-02T09:00:00Z"
    assert organiser.post(f"{path}/approval", APPROVAL).json() == first.json()
    other = APPROVAL | {"reference": "FBT 2/2027"}
    refused(organiser.post(f"{path}/approval", other), 409, "approval_recorded")
    assert organiser.get(path).json()["approval"] == first.json()


@pytest.mark.parametrize(
    ("changes", "code", "wanted"),
    [
        ({"approved_at": "2126-01-01T00:00:00Z"}, "approval_ahead", None),
        ({"approved_by": ""}, "fields_invalid", {"$.approved_by": "blank"}),
        ({"approved_at": "2026-01-01T00:00:00"}, "fields_invalid", {"$.approved_at": "offset"}),
        ({"reference": 5}, "fields_invalid", {"$.reference": "type"}),
        ({"stamp": "x"}, "unknown_field", {"$.stamp": "unknown_field"}),
    ],
)
def test_approvals_refused(
    organiser: Api, changes: dict[str, Any], code: str, wanted: dict[str, str] | None
) -> None:
    meeting = imported(organiser).json()["id"]
    response = organiser.post(f"lototrot/meetings/{meeting}/approval", APPROVAL | changes)
    problem = refused(response, 422, code)
    if wanted:
        assert places(problem) == wanted
    assert not FederationApproval.objects.exists()
    refused(organiser.post("lototrot/meetings/999999/approval", APPROVAL), 404, "meeting_unknown")


@pytest.mark.article("14.III.5.2", "14.III.6.2")
def test_posters(organiser: Api) -> None:
    contest = factories.contest()
    path = f"lototrot/meetings/{contest.meeting_id}/poster"
    refused(organiser.get(f"{path}.pdf"), 409, "nothing_published")
    contest_publish(by=factories.staff(Role.ORGANISER), contest=contest, rules=RULES)
    pdf = organiser.get(f"{path}.pdf", lang="es")
    assert pdf["Content-Type"] == "application/pdf"
    pages = PdfReader(BytesIO(pdf.content)).pages
    assert "Reglamento." in " ".join(page.extract_text() for page in pages)
    page = organiser.get(f"{path}.html", lang="en")
    assert page["Content-Type"].startswith("text/html")
    assert "Rules." in page.content.decode()
    refused(organiser.get(f"{path}.html", lang="xx"), 422, "fields_invalid")
    bare = factories.meeting(approved=False)
    refused(organiser.get(f"lototrot/meetings/{bare.pk}/poster.pdf"), 409, "programme_not_approved")
    refused(organiser.get("lototrot/meetings/999999/poster.pdf"), 404, "meeting_unknown")


@pytest.fixture
def meeting() -> Meeting:
    return factories.meeting()

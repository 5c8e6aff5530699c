"""The organiser's road to a contest on sale: programme, approval, bet type, contest, opening."""

import json
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from core.database import clock
from core.staff.powers import Role
from lototrot.engine.programme import MAX_BYTES
from lototrot.models.contest import BetType, Contest, InternalBetType, Publication, TicketModel
from lototrot.models.programme import FederationApproval, Meeting, Runner
from lototrot.sample.facts import SON_PARDO, programme_file
from lototrot.services.contest.contests import contest_publish
from tests.support import factories
from tests.support.api import Api, places, refused, staff_api

pytestmark = pytest.mark.django_db
RULES = {"ca": "Reglament.\nSegona línia.", "es": "Reglamento.", "en": "Rules."}
APPROVAL = {
    "approved_by": "Federació Balear de Trot",
    "approved_at": "2026-01-02T10:00:00+01:00",
    "reference": "FBT 1/2027",
}
BET_TYPE = {
    "code": "lototrot",
    "version": 1,
    "name": "Lototrot",
    "legs": 7,
    "prize_percent": "60",
    "payout_step_cents": 1,
    "jackpot_threshold_cents": 15000000,
    "shares_below": {"7": "30", "6": "20", "5": "20", "4": "30", "reserve": "0"},
    "shares_above": {"7": "20", "6": "20", "5": "20", "4": "30", "reserve": "10"},
}
MODEL = {
    "code": "roll-80",
    "version": 1,
    "authorisation": "CAIB 2/2006",
    "authorised_on": "2006-01-02",
    "multiple": True,
}


@pytest.fixture
def organiser() -> Api:
    return staff_api(Role.ORGANISER)


@pytest.fixture
def steward() -> Api:
    return staff_api(Role.STEWARDS)


def imported(api: Api) -> Any:
    return api.raw("lototrot/programmes", programme_file(SON_PARDO))


# --- The programme --------------------------------------------------------------------------------


@pytest.mark.article("14.I.2", "14.III.5.2")
def test_a_programme_by_json_and_by_csv_is_one_meeting(organiser: Api) -> None:
    first = imported(organiser)
    assert first.status_code == 201, first.content
    again = organiser.raw("lototrot/programmes", programme_file(SON_PARDO, "csv"), "text/csv")
    assert again.json() == first.json()
    assert first.json()["approval"] is None
    assert Meeting.objects.count() == 1


def thousand_lines() -> list[str]:
    """The first line and 1,000 runners: 40 races of 25, a quarter of an hour apart."""
    names = (
        "meeting_day,meeting_name,meeting_reference,racecourse_code,racecourse_name,"
        "racecourse_timezone,racecourse_municipality,racecourse_country,race_number,race_name,"
        "race_scheduled_start,runner_number,runner_name"
    )
    lines = [names]
    for race in range(1, 41):
        start = datetime(2027, 4, 10, 10, tzinfo=UTC) + timedelta(minutes=15 * race)
        said = "2027-04-10,Gran,P-1000,SONPARDO,Son Pardo,UTC,Palma,ES"
        said += f",{race},Cursa {race},{start.isoformat()}"
        lines += [f"{said},{number},Cavall {number}" for number in range(1, 26)]
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
    found = {error["place"]: error["code"] for error in problem["data"]["errors"]}
    assert found == {
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
    found = organiser.get(f"lototrot/meetings/{meeting['id']}").json()
    given = json.loads(programme_file(SON_PARDO))
    assert len(found["races"]) == len(given["races"])
    race = found["races"][0]
    assert race["state"] == "scheduled"
    assert race["winners"] == []
    assert race["actual_start_at"] is None
    names = {runner["number"]: runner["name"] for runner in race["runners"]}
    assert names == {r["number"]: r["name"] for r in given["races"][0]["runners"]}
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


# --- What contests are made by --------------------------------------------------------------------


@pytest.mark.article("14.III.7")
def test_bet_types(organiser: Api, steward: Api) -> None:
    body = {"document": BET_TYPE, "authorisation": "CAIB 1/2006"}
    refused(steward.post("lototrot/bet-types", body), 403, "power_missing")
    first = organiser.post("lototrot/bet-types", body)
    assert first.status_code == 201, first.content
    assert organiser.post("lototrot/bet-types", body).json() == first.json()
    other = {"document": BET_TYPE | {"name": "Other"}, "authorisation": "CAIB 1/2006"}
    refused(organiser.post("lototrot/bet-types", other), 409, "bet_type_recorded")
    bad = {"document": BET_TYPE | {"legs": 11, "prize_percent": "59"}, "authorisation": "x"}
    problem = refused(organiser.post("lototrot/bet-types", bad), 422, "bet_type_refused")
    assert {"legs", "prize_percent"} <= {error["field"] for error in problem["data"]["errors"]}
    assert [each["code"] for each in steward.get("lototrot/bet-types").json()["items"]] == [
        "lototrot"
    ]
    assert BetType.objects.count() == 1


def test_bet_types_of_no_shape(organiser: Api) -> None:
    for body, wanted in (
        ({}, {"$.document": "required", "$.authorisation": "required"}),
        ({"document": [], "authorisation": "x"}, {"$.document": "not_a_dict"}),
        ({"document": {}, "authorisation": " "}, {"$.authorisation": "blank"}),
    ):
        response = organiser.post("lototrot/bet-types", body)
        assert places(refused(response, 422, "fields_invalid")) == wanted
    refused(
        organiser.post("lototrot/bet-types", {"document": {}, "authorisation": "x"}),
        422,
        "bet_type_refused",
    )
    assert not BetType.objects.exists()


@pytest.mark.article("14.I.1")
def test_internal_bet_types(organiser: Api, steward: Api) -> None:
    body = {"code": "trio", "name": "Trio"}
    refused(steward.post("lototrot/internal-bet-types", body), 403, "power_missing")
    for _ in range(2):
        assert organiser.post("lototrot/internal-bet-types", body).status_code == 201
    assert InternalBetType.objects.count() == 1
    (found,) = steward.get("lototrot/internal-bet-types").json()["items"]
    assert found["code"] == "trio"


@pytest.mark.article("14.II.2")
def test_ticket_models(organiser: Api, steward: Api) -> None:
    refused(steward.post("lototrot/ticket-models", MODEL), 403, "power_missing")
    first = organiser.post("lototrot/ticket-models", MODEL, Idempotency_Key="model-roll-80")
    assert first.status_code == 201, first.content
    again = organiser.post("lototrot/ticket-models", MODEL, Idempotency_Key="model-roll-80")
    assert again.json() == first.json()
    refused(organiser.post("lototrot/ticket-models", MODEL), 409, "ticket_model_recorded")
    for changes in ({"version": 0}, {"authorised_on": "2006-13-01"}, {"multiple": "yes"}):
        refused(organiser.post("lototrot/ticket-models", MODEL | changes), 422, "fields_invalid")
    assert TicketModel.objects.count() == 1
    assert len(steward.get("lototrot/ticket-models").json()["items"]) == 1


# --- Contests -------------------------------------------------------------------------------------


@pytest.fixture
def meeting() -> Meeting:
    return factories.meeting()


def terms(meeting: Meeting, /, **changes: Any) -> dict[str, Any]:
    rules, model = factories.bet_type(), factories.ticket_model()
    closes_at: datetime = clock.now() + timedelta(hours=1)
    return {
        "meeting": meeting.pk,
        "bet_type": {"code": rules.code, "version": rules.version},
        "ticket_model": {"code": model.code, "version": model.version},
        "races": list(meeting.races.order_by("number").values_list("pk", flat=True)),
        "price_cents": 100,
        "scheduled_close_at": closes_at.isoformat(),
    } | changes


@pytest.mark.article("14.III.5.1", "14.III.5.2", "14.III.6.2", "14.II.2")
def test_a_contest_is_prepared_published_and_opened(organiser: Api, meeting: Meeting) -> None:
    made = organiser.post("lototrot/contests", terms(meeting))
    assert made.status_code == 201, made.content
    path = f"lototrot/contests/{made.json()['id']}"
    assert made.json()["state"] == "draft"
    assert made.json()["max_bets"] == 10_000
    gates = organiser.get(f"{path}/gates").json()["missing"]
    assert [gate["code"] for gate in gates] == [
        "programme_unpublished",
        "rules_unpublished",
        "percent_unpublished",
    ]
    problem = refused(organiser.post(f"{path}/opening"), 409, "gates_shut")
    assert [g["code"] for g in problem["data"]["missing"]] == [g["code"] for g in gates]
    assert all(gate["article"] for gate in gates)
    published = organiser.post(f"{path}/publication", {"rules": RULES})
    assert published.status_code == 201, published.content
    assert published.json()["prize_percent"] == "60"
    assert organiser.get(f"{path}/gates").json() == {"missing": []}
    for _ in range(2):
        opened = organiser.post(f"{path}/opening")
        assert opened.status_code == 200, opened.content
        assert opened.json()["state"] == "open"
    detail = organiser.get(path).json()
    assert detail["on_sale"]
    assert detail["gates"] == []
    assert (detail["jackpot_cents"], detail["reserve_cents"]) == (0, 0)
    assert detail["publication"]["rules"] == RULES
    assert [leg["position"] for leg in detail["legs"]] == list(range(1, 8))
    assert detail["legs"][0]["offered"] == list(range(1, 11))
    assert detail["server_time"].endswith("Z")


def test_a_prepared_contest_once_per_key(organiser: Api, meeting: Meeting) -> None:
    body = terms(meeting)
    first = organiser.post("lototrot/contests", body, Idempotency_Key="contest-2027-04-10")
    again = organiser.post("lototrot/contests", body, Idempotency_Key="contest-2027-04-10")
    assert again.json() == first.json()
    refused(organiser.post("lototrot/contests", body), 409, "contest_of_day_exists")
    assert Contest.objects.count() == 1


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    ({"meeting": 999_999}, 404, "meeting_unknown"),
    ({"bet_type": {"code": "lototrot", "version": 9}}, 404, "bet_type_unknown"),
    ({"ticket_model": {"code": "x", "version": 1}}, 404, "ticket_model_unknown"),
    ({"races": [999_999]}, 404, "race_unknown"),
    ({"scheduled_close_at": "2020-01-01T00:00:00Z"}, 422, "schedule_out_of_place"),
    ({"correction_window_s": 60}, 422, "contest_terms_refused"),
    ({"races": []}, 422, "fields_invalid"),
    ({"price_cents": 0}, 422, "fields_invalid"),
    ({"price_cents": "100"}, 422, "fields_invalid"),
    ({"max_bets": 2**31}, 422, "fields_invalid"),
    ({"bet_type": "lototrot"}, 422, "fields_invalid"),
    ({"colour": "red"}, 422, "unknown_field"),
]


@pytest.mark.parametrize(("changes", "status", "code"), REFUSED)
def test_contests_refused(
    organiser: Api, meeting: Meeting, changes: dict[str, Any], status: int, code: str
) -> None:
    refused(organiser.post("lototrot/contests", terms(meeting, **changes)), status, code)
    assert not Contest.objects.exists()


def test_a_race_twice(organiser: Api, meeting: Meeting) -> None:
    body = terms(meeting)
    body["races"][1] = body["races"][0]
    refused(organiser.post("lototrot/contests", body), 422, "race_repeated")


def test_who_prepares_opens_and_closes(meeting: Meeting) -> None:
    contest = factories.contest(meeting, state=Contest.State.DRAFT)
    path = f"lototrot/contests/{contest.pk}"
    later = (clock.now() + timedelta(minutes=90)).isoformat()
    acts = [
        ("lototrot/contests", terms(meeting)),
        (f"{path}/publication", {"rules": RULES}),
        (f"{path}/opening", {}),
        (f"{path}/schedule", {"scheduled_close_at": later}),
        (f"{path}/closing", {}),
    ]
    for role in set(Role) - {Role.ORGANISER}:
        api = staff_api(role)
        for act, body in acts:
            refused(api.post(act, body), 403, "power_missing")
        assert api.get(path).status_code == 200
    for act, body in acts:
        refused(Api().post(act, body), 401, "credentials_missing")
    contest.refresh_from_db()
    assert contest.state == "draft"
    assert not Publication.objects.exists()


@pytest.mark.article("14.III.5.2")
def test_nothing_is_published_of_a_programme_without_approval(organiser: Api) -> None:
    contest = factories.contest(factories.meeting(approved=False), state=Contest.State.DRAFT)
    path = f"lototrot/contests/{contest.pk}/publication"
    refused(organiser.post(path, {"rules": RULES}), 409, "programme_not_approved")
    problem = refused(organiser.post(path, {"rules": {"ca": "x"}}), 422, "fields_invalid")
    assert places(problem) == {"$.rules.es": "required", "$.rules.en": "required"}


def test_published_rules_stay(organiser: Api, meeting: Meeting) -> None:
    contest = factories.contest(meeting, state=Contest.State.DRAFT)
    path = f"lototrot/contests/{contest.pk}/publication"
    first = organiser.post(path, {"rules": RULES})
    assert organiser.post(path, {"rules": RULES}).json() == first.json()
    other = RULES | {"en": "Other rules."}
    refused(organiser.post(path, {"rules": other}), 409, "published_already")
    assert Publication.objects.get().rules == RULES


@pytest.mark.article("14.III.4")
def test_the_schedule_is_moved_and_the_contest_closed(organiser: Api, meeting: Meeting) -> None:
    contest = factories.contest(meeting)
    path = f"lototrot/contests/{contest.pk}"
    later = (clock.now() + timedelta(minutes=90)).isoformat()
    moved = organiser.post(f"{path}/schedule", {"scheduled_close_at": later})
    assert moved.status_code == 200, moved.content
    assert datetime.fromisoformat(moved.json()["scheduled_close_at"]) == datetime.fromisoformat(
        later
    )
    past = {"scheduled_close_at": "2020-01-01T00:00:00Z"}
    refused(organiser.post(f"{path}/schedule", past), 422, "schedule_in_the_past")
    for _ in range(2):
        closed = organiser.post(f"{path}/closing").json()
        assert (closed["state"], closed["closing_cause"]) == ("closed", "organiser")
    refused(
        organiser.post(f"{path}/schedule", {"scheduled_close_at": later}),
        409,
        "contest_not_on_sale",
    )
    assert not organiser.get(path).json()["on_sale"]


def test_contests_are_listed(organiser: Api, meeting: Meeting) -> None:
    first = factories.contest(meeting)
    second = factories.contest(factories.meeting(day=meeting.day + timedelta(days=1)))
    factories.contest_closed(second)
    listed = organiser.get("lototrot/contests").json()["items"]
    assert [each["id"] for each in listed] == [second.pk, first.pk]

    def ids(**query: Any) -> list[int]:
        return [each["id"] for each in organiser.get("lototrot/contests", **query).json()["items"]]

    assert ids(state="closed") == [second.pk]
    assert ids(meeting=meeting.pk) == [first.pk]
    assert ids(limit=1) == [second.pk]
    refused(organiser.get("lototrot/contests", state="lost"), 422, "fields_invalid")
    refused(organiser.get("lototrot/contests", colour="red"), 422, "unknown_field")
    refused(organiser.get("lototrot/contests/999999"), 404, "contest_unknown")
    refused(organiser.get("lototrot/contests/999999/gates"), 404, "contest_unknown")
    for act in ("opening", "closing"):
        refused(organiser.post(f"lototrot/contests/999999/{act}"), 404, "contest_unknown")

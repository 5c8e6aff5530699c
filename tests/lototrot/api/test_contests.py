"""Prepare, publish, open, move and close contests through the API."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from core.database import clock
from core.staff.powers import Role
from lototrot.models.contest import Contest, Publication
from lototrot.models.programme import Meeting
from tests.support import factories
from tests.support.api import Api, places, refused, staff_api

pytestmark = pytest.mark.django_db


RULES = {"ca": "Reglament.\nSegona línia.", "es": "Reglamento.", "en": "Rules."}


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
    answer = organiser.post("lototrot/contests", terms(meeting))
    assert answer.status_code == 201, answer.content
    path = f"lototrot/contests/{answer.json()['id']}"
    assert answer.json()["state"] == "draft"
    assert answer.json()["max_bets"] == 10_000
    gates = organiser.get(path).json()["gates"]
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
    assert organiser.get(path).json()["gates"] == []
    proposed = organiser.post(f"{path}/opening")
    assert proposed.status_code == 202, proposed.content
    refused(organiser.post(f"{path}/opening"), 409, "proposal_pending")
    assert organiser.get(path).json()["state"] == "draft"
    confirmation = f"proposals/{proposed.json()['proposal']}/confirmation"
    refused(organiser.post(confirmation), 403, "same_person")
    assert staff_api(Role.ORGANISER).post(confirmation).status_code == 200
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
    beyond = (contest.scheduled_close_at + timedelta(minutes=5)).isoformat()
    refused(
        organiser.post(f"{path}/schedule", {"scheduled_close_at": beyond}), 409, "schedule_later"
    )
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
    for act in ("opening", "closing"):
        refused(organiser.post(f"lototrot/contests/999999/{act}"), 404, "contest_unknown")

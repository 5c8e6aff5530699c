"""Enter withdrawals, starts, declarations and classifications through the API, by two persons."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from core.database import clock
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from tests.support import factories
from tests.support.api import Api, places, refused, staff_api

pytestmark = pytest.mark.django_db
SOURCE = {"source": "Stewards"}
DECIDED = {"text": "Resolució", "author": "authority"}


@pytest.fixture
def one() -> Api:
    return staff_api(Role.STEWARDS)


@pytest.fixture
def two() -> Api:
    return staff_api(Role.STEWARDS)


def at(**since: float) -> str:
    return (clock.now() - timedelta(**since)).isoformat()


def confirm(api: Api, answer: Any) -> Any:
    assert answer.status_code == 201, answer.content
    return api.post(f"proposals/{answer.json()['proposal']}/confirmation")


def race_card(api: Api, race: Race) -> dict[str, Any]:
    answer: dict[str, Any] = api.get(f"lototrot/races/{race.pk}").json()
    return answer


def runner(api: Api, race: Race, number: int) -> dict[str, Any]:
    return next(r for r in race_card(api, race)["runners"] if r["number"] == number)


@pytest.mark.article("14.III.5.4.1")
def test_a_withdrawal_is_effective_at_once_and_confirmed_by_another(
    one: Api, two: Api, race: Race, contest: Contest
) -> None:
    answer = one.post(f"lototrot/races/{race.pk}/withdrawals", SOURCE | {"number": 4})
    assert answer.status_code == 201, answer.content
    assert answer.json()["confirmed_at"] is None
    card = runner(two, race, 4)
    assert (card["withdrawn"], card["unconfirmed"], card["trace"]) == (True, True, [4, 5])
    legs = two.get(f"lototrot/contests/{contest.pk}").json()["legs"]
    assert 4 not in legs[0]["offered"]
    refused(confirm(one, answer), 403, "same_person")
    assert confirm(two, answer).status_code == 200
    assert not runner(two, race, 4)["unconfirmed"]
    reversal = one.post(
        f"lototrot/withdrawals/{answer.json()['id']}/reversal", {"reason": "Number misread"}
    )
    assert confirm(two, reversal).status_code == 200
    assert not runner(two, race, 4)["withdrawn"]


def test_a_withdrawal_rejected_is_on_sale_again(one: Api, two: Api, race: Race) -> None:
    answer = one.post(f"lototrot/races/{race.pk}/withdrawals", SOURCE | {"number": 4}).json()
    rejected = two.post(f"proposals/{answer['proposal']}/rejection", {"reason": "Not so"})
    assert rejected.status_code == 200
    assert not runner(one, race, 4)["withdrawn"]


def test_withdrawals_refused(one: Api, race: Race) -> None:
    path = f"lototrot/races/{race.pk}/withdrawals"
    refused(one.post(path, SOURCE | {"number": 11}), 422, "number_not_in_programme")
    problem = refused(one.post(path, {"number": 32}), 422, "fields_invalid")
    assert places(problem) == {"$.number": "max_value", "$.source": "required"}
    ahead = SOURCE | {"number": 4, "effective_at": at(hours=-1)}
    refused(one.post(path, ahead), 422, "instant_ahead")
    refused(
        one.post("lototrot/races/999999/withdrawals", SOURCE | {"number": 4}), 404, "race_unknown"
    )
    assert not Withdrawal.objects.exists()
    assert one.post(path, SOURCE | {"number": 4}).status_code == 201
    refused(one.post(path, SOURCE | {"number": 4}), 409, "already_withdrawn")
    pk = Withdrawal.objects.get().pk
    refused(
        one.post(f"lototrot/withdrawals/{pk}/reversal", {"reason": "x"}),
        409,
        "withdrawal_unconfirmed",
    )
    refused(
        one.post("lototrot/withdrawals/999999/reversal", {"reason": "x"}), 404, "withdrawal_unknown"
    )
    factories.started(race)
    refused(one.post(path, SOURCE | {"number": 5}), 409, "withdrawal_too_late")


def test_a_withdrawal_once_per_key(one: Api, race: Race) -> None:
    body = SOURCE | {"number": 4}
    path = f"lototrot/races/{race.pk}/withdrawals"
    first = one.post(path, body, Idempotency_Key="withdrawal-4-of-1")
    assert one.post(path, body, Idempotency_Key="withdrawal-4-of-1").json() == first.json()
    refused(
        one.post(path, SOURCE | {"number": 5}, Idempotency_Key="withdrawal-4-of-1"),
        409,
        "idempotency_key_reused",
    )
    assert Withdrawal.objects.count() == 1


@pytest.mark.article("14.III.4")
def test_a_start_stops_the_contest_and_confirmed_it_closes_it(
    one: Api, two: Api, race: Race, contest: Contest
) -> None:
    path, key = f"lototrot/races/{race.pk}/start", {"Idempotency_Key": "start-of-race-1"}
    body = SOURCE | {"actual_start_at": at(seconds=5)}
    first = one.post(path, body, **key)
    assert one.post(path, body, **key).json() == first.json()
    refused(one.post(path, body), 409, "proposal_pending")
    contest.refresh_from_db()
    assert contest.state == "stopped"
    assert confirm(two, first).status_code == 200
    contest.refresh_from_db()
    assert (contest.state, contest.closing_cause) == ("closed", "start")
    started_at = datetime.fromisoformat(race_card(one, race)["actual_start_at"])
    assert started_at == datetime.fromisoformat(body["actual_start_at"]) == contest.closed_at
    refused(one.post(path, body), 409, "start_unchanged")
    refused(one.post(path, SOURCE | {"actual_start_at": at(seconds=9)}), 409, "start_differs")
    assert RaceStart.objects.count() == 1


def test_a_start_is_corrected_by_two(one: Api, two: Api, race: Race) -> None:
    path = f"lototrot/races/{race.pk}/start"
    refused(
        one.post(f"{path}/correction", SOURCE | {"actual_start_at": at(seconds=5)}),
        409,
        "race_not_started",
    )
    refused(one.post(path, SOURCE | {"actual_start_at": at(hours=-1)}), 422, "instant_ahead")
    refused(one.post(path, {"actual_start_at": "noon", "source": ""}), 422, "fields_invalid")
    confirm(two, one.post(path, SOURCE | {"actual_start_at": at(minutes=5)}))
    wanted = at(minutes=6)
    answer = one.post(f"{path}/correction", {"actual_start_at": wanted, "source": "Film"})
    assert confirm(two, answer).status_code == 200
    assert RaceStart.objects.count() == 2
    again = one.post(f"{path}/correction", {"actual_start_at": wanted, "source": "Film"})
    refused(again, 409, "start_unchanged")


@pytest.mark.article("14.III.5.4.2")
def test_a_race_not_run_is_declared_and_retracted_by_two(
    one: Api, two: Api, race: Race, contest: Contest
) -> None:
    path = f"lototrot/races/{race.pk}/declaration"
    body = {"kind": "not_run", "reason": "Storm"} | DECIDED
    answer = one.post(path, body)
    contest.refresh_from_db()
    assert contest.state == "stopped"
    assert confirm(two, answer).status_code == 200
    again = one.post(path, body).json()
    assert (again["proposal"], again["decision"]["verdict"]) == (
        answer.json()["proposal"],
        "confirmed",
    )
    assert race_card(one, race)["state"] == "declared"
    contest.refresh_from_db()
    assert contest.closing_cause == "not_run"
    refused(one.post(path, body | {"kind": "suspended"}), 409, "race_declared")
    retraction = one.post(f"{path}/retraction", {"reason": "Another race"})
    assert confirm(two, retraction).status_code == 200
    assert race_card(one, race)["state"] == "scheduled"
    refused(one.post(f"{path}/retraction", {"reason": "x"}), 409, "declaration_unknown")


@pytest.mark.article("14.III.5.4.3")
def test_a_race_suspended_names_who_was_left(one: Api, two: Api, race: Race) -> None:
    path = f"lototrot/races/{race.pk}/declaration"
    left = [{"number": 2, "ruling": "Refused"}]
    body = {"kind": "suspended", "reason": "Accident", "left": left} | DECIDED
    refused(one.post(path, body), 409, "race_not_started")
    factories.started(race, at=clock.now() - timedelta(minutes=1))
    refused(one.post(path, body | {"kind": "not_run", "left": []}), 409, "race_started")
    refused(
        one.post(path, body | {"kind": "no_winner", "text": ""}), 422, "declaration_text_missing"
    )
    problem = refused(one.post(path, body | {"left": [{"number": 2}]}), 422, "fields_invalid")
    assert places(problem) == {"$.left[0].ruling": "required"}
    refused(one.post(path, body | {"left": [{"number": 11, "ruling": "x"}]}), 422, "no_starters")
    assert confirm(two, one.post(path, body)).status_code == 200
    assert RaceDeclaration.objects.get().left == left


def test_a_whole_meeting_is_called_off(one: Api, two: Api, contest: Contest) -> None:
    path = f"lototrot/meetings/{contest.meeting_id}/declaration"
    body = {"reason": "Flooded"} | DECIDED
    answer = one.post(path, body)
    assert not RaceDeclaration.objects.exists()
    refused(one.post(path, body), 409, "proposal_pending")
    assert confirm(two, answer).status_code == 200
    refused(one.post(path, body), 409, "nothing_to_declare")
    refused(
        one.post("lototrot/meetings/999999/declaration", {"reason": "x"}), 404, "meeting_unknown"
    )
    assert RaceDeclaration.objects.count() == 7


# --- Classification -------------------------------------------------------------------------------


def announced(race: Race, *winners: int, **changes: Any) -> dict[str, Any]:
    numbers = race.runners.order_by("number").values_list("number", flat=True)
    runners = [{"number": n, "outcome": "winner" if n in winners else "started"} for n in numbers]
    return {
        "runners": runners,
        "announced_text": "1r: 3\n2n: 5",
        "announced_at": at(seconds=1),
        "author": "Comissaris",
    } | changes


@pytest.mark.article("14.III.5.3", "14.III.9.9")
def test_a_dead_heat_is_entered_confirmed_and_corrected(one: Api, two: Api, race: Race) -> None:
    factories.started(race, at=clock.now() - timedelta(minutes=5))
    path = f"lototrot/races/{race.pk}/classification"
    answer = one.post(path, announced(race, 3, 5))
    assert race_card(one, race)["state"] == "started"
    refused(confirm(one, answer), 403, "same_person")
    assert confirm(two, answer).status_code == 200
    assert race_card(one, race)["winners"] == [3, 5]
    assert Classification.objects.get().announced_text == "1r: 3\n2n: 5"
    refused(one.post(path, announced(race, 3)), 409, "race_classified")
    runners = announced(race, 3, 6)["runners"]
    correction = one.post(f"{path}/correction", {"runners": runners, "reason": "Keyed wrong"})
    refused(confirm(two, correction), 403, "power_missing")
    assert confirm(staff_api(Role.AUDITOR), correction).status_code == 200
    assert race_card(one, race)["winners"] == [3, 6]
    same = {"runners": runners, "reason": "x"}
    refused(one.post(f"{path}/correction", same), 409, "nothing_corrected")


def test_classifications_refused(one: Api, race: Race) -> None:
    path = f"lototrot/races/{race.pk}/classification"
    refused(one.post(path, announced(race, 3)), 409, "race_not_started")
    factories.started(race, at=clock.now() - timedelta(minutes=5))
    few = announced(race, 3)
    few["runners"][0] = {"number": 98, "outcome": "started"}
    problem = refused(one.post(path, few), 422, "classification_refused")
    assert {e["code"] for e in problem["data"]["errors"]} == {"number_unknown", "number_missing"}
    refused(one.post(path, announced(race)), 422, "classification_refused")
    out = announced(race)
    out["runners"] = [r | {"outcome": "disqualified"} for r in out["runners"]]
    refused(one.post(path, out), 422, "all_disqualified")
    for changes, place, code in (
        ({"announced_text": ""}, "$.announced_text", "blank"),
        ({"announced_text": "a\x07b"}, "$.announced_text", "control_character"),
        (
            {"runners": [{"number": 1, "outcome": "first"}]},
            "$.runners[0].outcome",
            "invalid_choice",
        ),
    ):
        problem = refused(one.post(path, announced(race, 3, **changes)), 422, "fields_invalid")
        assert places(problem) == {place: code}
    late = announced(race, 3, announced_at=at(hours=-1))
    refused(one.post(path, late), 422, "instant_ahead")
    refused(
        one.post(f"{path}/correction", {"runners": announced(race, 3)["runners"], "reason": "x"}),
        409,
        "not_classified",
    )
    kinds = set(Proposal.objects.values_list("kind", flat=True))
    assert kinds <= {"lototrot.start", "lototrot.contest_opening"}


# --- Who ------------------------------------------------------------------------------------------


def test_who_acts_on_the_course(race: Race) -> None:
    start = SOURCE | {"actual_start_at": at(seconds=1)}
    acts: list[tuple[str, dict[str, Any], set[Role]]] = [
        ("withdrawals", SOURCE | {"number": 1}, {Role.STEWARDS, Role.ORGANISER}),
        ("stop", SOURCE, {Role.STEWARDS}),
        ("start", start, {Role.STEWARDS}),
        ("start/correction", start, {Role.STEWARDS}),
        ("declaration", {"kind": "not_run", "reason": "x"}, {Role.STEWARDS, Role.ORGANISER}),
        ("declaration/retraction", {"reason": "x"}, {Role.STEWARDS, Role.ORGANISER}),
        ("classification", announced(race, 3), {Role.STEWARDS}),
        ("classification/correction", {"runners": [], "reason": "x"}, {Role.STEWARDS}),
    ]
    for last, body, roles in acts:
        path = f"lototrot/races/{race.pk}/{last}"
        refused(Api().post(path, body), 401, "credentials_missing")
        for role in set(Role) - roles:
            refused(staff_api(role).post(path, body), 403, "power_missing")
    for model in (Withdrawal, RaceStart, RaceDeclaration, Classification):
        assert not model.objects.exists()
    others = Proposal.objects.exclude(kind="lototrot.contest_opening")
    assert not others.exclude(kind__startswith="staff.").exists()

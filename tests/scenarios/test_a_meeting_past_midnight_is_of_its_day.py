"""A Friday programme with a last race at 00:10; late, too late, and wrong starts [B15, B13].

It is imported, sold, run, settled as Friday's. A race started at 00:06 after a delay was run. A
race run on Monday 11:00 for Sunday is refused as a start, and drawn. A start typed for the wrong
meeting is refused, and nothing closes.
"""

import csv
import io
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lototrot.models.contest import Contest
from lototrot.models.running import RaceStart
from tests.support import factories, rounds
from tests.support.api import refused
from tests.support.lototrot.meeting_by_api import (
    Staff,
    at,
    imported,
    ok,
    ordered,
    prepared,
    programme,
    put_on_sale,
    run,
    settled,
    sold,
    started,
)
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4", "14.III.5.4.2")]
FRIDAY = date(2030, 6, 7)
SATURDAY, SUNDAY, MONDAY = (FRIDAY + timedelta(days=days) for days in (1, 2, 3))
NIGHT = [at(FRIDAY, 21, 10) + timedelta(minutes=30 * number) for number in range(7)]
AFTERNOON = [at(FRIDAY, 16) + timedelta(minutes=30 * number) for number in range(7)]


@pytest.fixture
def staff() -> Staff:
    factories.time_to(at(FRIDAY - timedelta(days=1), 10))
    return Staff()


def on_sale(staff: Staff, starts: list[datetime], day: date) -> tuple[Any, Any]:
    """Return a meeting and its contest on sale."""
    meeting = imported(staff, programme(starts, day))
    return meeting, put_on_sale(staff, prepared(staff, meeting))


@pytest.mark.article("14.III.8.1", "14.III.10.2", "14.III.5.2")
def test_a_last_race_at_ten_past_midnight_is_fridays(staff: Staff) -> None:
    assert NIGHT[-1] == at(SATURDAY, 0, 10)
    meeting, contest = on_sale(staff, NIGHT, FRIDAY)
    assert (meeting["day"], contest["day"]) == ("2030-06-07", "2030-06-07")
    assert datetime.fromisoformat(meeting["ends_at"]) == at(SATURDAY, 6)
    ticket = ok(sold(factories.point(), contest, [1] * 7))
    for race, start in zip(meeting["races"], NIGHT, strict=True):
        run(staff, race, 1, start)
    assert settled(staff, contest)["winning_tickets"] == 1
    factories.time_to(at(SATURDAY, 9))
    order = ordered(staff, contest)["payment_order"]
    assert order["results_day"] == "2030-06-07"
    assert order["first_pay_day"] == "2030-06-08"
    assert order["last_claim_day"] == "2030-07-07"
    assert ticket["meeting"]["day"] == "2030-06-07"
    rounds.books_agree()


@pytest.mark.article("14.III.8.1", "14.III.10.2")
def test_an_outsider_takes_a_result_of_the_small_hours_as_fridays(
    staff: Staff, tmp_path: Path
) -> None:
    """The last result is of 02:30 and later, which is Saturday also in UTC."""
    starts = [start + timedelta(minutes=140) for start in NIGHT]
    assert starts[-1] == at(SATURDAY, 2, 30)
    meeting, contest = on_sale(staff, starts, FRIDAY)
    ok(sold(factories.point(), contest, [1] * 7))
    for race, start in zip(meeting["races"], starts, strict=True):
        run(staff, race, 1, start)
    settlement = settled(staff, contest)
    factories.time_to(at(SATURDAY, 9))
    order = ordered(staff, contest)["payment_order"]
    assert order["results_day"] == "2030-06-07"
    log = written(tmp_path, "log.jsonl", published_log())
    verdict = verifier("settlement").check(log, public_key(), settlement["settlement"])
    assert "; payable until 2030-07-07" in verdict


def test_a_race_delayed_past_midnight_was_run(staff: Staff) -> None:
    """The last race, announced for 23:50, starts at 00:06; a race declared not run starts, too."""
    starts = [start - timedelta(minutes=20) for start in NIGHT]
    meeting, contest = on_sale(staff, starts, FRIDAY)
    ok(sold(factories.point(), contest, [1] * 7))
    for race, start in zip(meeting["races"][:-1], starts, strict=False):
        run(staff, race, 1, start)
    run(staff, meeting["races"][-1], 2, at(SATURDAY, 0, 6))
    settlement = settled(staff, contest)
    winners = {each["hits"]: each["winning_bets"] for each in settlement["categories"]}
    assert winners == {7: 0, 6: 1, 5: 0, 4: 0}
    factories.time_to(at(SATURDAY, 9))
    assert ordered(staff, contest)["payment_order"]["results_day"] == "2030-06-07"


def test_a_race_run_on_monday_for_sunday_is_refused_as_a_start_and_drawn(staff: Staff) -> None:
    starts = [start + timedelta(days=2) for start in AFTERNOON]
    meeting, contest = on_sale(staff, starts, SUNDAY)
    ok(sold(factories.point(), contest, [1] * 7))
    for race, start in zip(meeting["races"][:-1], starts, strict=False):
        run(staff, race, 1, start)
    last = meeting["races"][-1]
    factories.time_to(at(MONDAY, 11, 1))
    refused(started(staff, last, at(MONDAY, 11)), 409, "run_on_another_day")
    refused(started(staff, last, at(MONDAY, 6)), 409, "run_on_another_day")
    assert not RaceStart.objects.filter(race=last["id"]).exists()
    row = factories.races_of(Contest.objects.get(pk=contest["id"]))[-1]
    factories.declared(row)
    refused(started(staff, last, at(MONDAY, 11)), 409, "run_on_another_day")
    factories.drawn(row, 3)
    settlement = settled(staff, contest)
    assert settlement["races"][-1]["winners"] == [3]
    assert ordered(staff, contest)["payment_order"]["results_day"] == "2030-06-10"


def test_a_start_typed_for_the_wrong_meeting_closes_nothing(staff: Staff) -> None:
    """On Friday at 16:05 the start is typed for Sunday's race, and for that night's."""
    _friday, friday = on_sale(staff, AFTERNOON, FRIDAY)
    sunday_meeting, sunday = on_sale(
        staff, [start + timedelta(days=2) for start in AFTERNOON], SUNDAY
    )
    factories.time_to(at(FRIDAY, 15, 45))
    ok(sold(factories.point(), sunday, [1] * 7))
    for _ in range(2):
        problem = refused(
            started(staff, sunday_meeting["races"][0], at(FRIDAY, 15, 44)),
            409,
            "start_before_meeting",
        )
    assert datetime.fromisoformat(problem["data"]["begins_at"]) == at(SUNDAY, 15, 50)
    assert not RaceStart.objects.exists()
    for contest in (friday, sunday):
        detail = ok(staff.organiser.get(f"lototrot/contests/{contest['id']}"))
        assert (detail["state"], detail["on_sale"]) == ("open", True)
    ok(sold(factories.point(), sunday, [2] * 7))


def test_a_race_may_start_a_little_before_its_time(staff: Staff) -> None:
    """Its bets since are in breach, so that the instant must be recordable [E3]."""
    meeting, _contest = on_sale(staff, AFTERNOON, FRIDAY)
    factories.time_to(at(FRIDAY, 15, 59))
    refused(
        started(staff, meeting["races"][0], at(FRIDAY, 15, 49, 59)), 409, "start_before_meeting"
    )
    ok(started(staff, meeting["races"][0], at(FRIDAY, 15, 58, 50)))


# --- The programme --------------------------------------------------------------------------------


def as_csv(document: dict[str, Any]) -> bytes:
    """Return the programme as CSV."""
    meeting = {f"meeting_{name}": value for name, value in document["meeting"].items()}
    course = {f"racecourse_{name}": value for name, value in document["racecourses"][0].items()}
    rows = [
        meeting
        | course
        | {f"race_{n}": v for n, v in race.items() if n not in ("runners", "racecourse")}
        | {f"runner_{n}": v for n, v in runner.items()}
        for race in document["races"]
        for runner in race["runners"]
    ]
    file = io.StringIO()
    writer = csv.DictWriter(file, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue().encode()


def send_json(staff: Staff, document: dict[str, Any]) -> Any:
    return staff.organiser.post("lototrot/programmes", document)


def send_csv(staff: Staff, document: dict[str, Any]) -> Any:
    return staff.organiser.raw("lototrot/programmes", as_csv(document), content_type="text/csv")


def stated(hour: str) -> dict[str, Any]:
    return programme(NIGHT, FRIDAY, ends_next_day_at=hour)


@pytest.mark.article("14.III.5.2")
@pytest.mark.parametrize("send", [send_json, send_csv])
def test_the_programme_states_when_its_meeting_ends(
    staff: Staff, send: Callable[[Staff, dict[str, Any]], Any]
) -> None:
    meeting = ok(send(staff, stated("02:30")))
    assert datetime.fromisoformat(meeting["ends_at"]) == at(SATURDAY, 2, 30)
    refusals = [
        (stated("00:10"), "start_not_on_day"),
        (stated("13:00"), "end_not_in_the_morning"),
        (stated("25:00"), "bad_hour"),
        (stated("6:00"), "bad_hour"),
        (programme([*NIGHT[:-1], at(SATURDAY, 6)], FRIDAY), "start_not_on_day"),
        (programme([at(SATURDAY, 0, 10)], FRIDAY), "first_start_not_on_day"),
        (programme([at(SATURDAY, 17)], FRIDAY), "start_not_on_day"),
    ]
    for document, code in refusals:
        problem = refused(send(staff, document), 422, "programme_invalid")
        assert {error["code"] for error in problem["data"]["errors"]} == {code}


@pytest.mark.parametrize("day", [date(2030, 3, 30), date(2030, 10, 26)])
def test_in_the_night_in_which_the_clocks_change(staff: Staff, day: date) -> None:
    """23 or 25 hours: the meeting ends when clocks show six, and 05:59 is inside."""
    factories.time_to(at(day - timedelta(days=1), 10))
    starts = [at(day, 22), at(day, 23), at(day, 24 + 1)]
    meeting = imported(staff, programme(starts, day))
    end = datetime.fromisoformat(meeting["ends_at"])
    assert end == at(day, 24 + 6)
    factories.time_to(end + timedelta(hours=1))
    refused(started(staff, meeting["races"][2], end), 409, "run_on_another_day")
    ok(started(staff, meeting["races"][2], end - timedelta(minutes=1)))

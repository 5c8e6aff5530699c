"""Tell a month of nights: statements that are the books, and prizes that lapse into the 7/7."""

from datetime import date, datetime
from typing import Any

import pytest

from core.kernel.days import MADRID
from core.tools.raceday.stage import Amiss
from lototrot.raceday import nights
from lototrot.raceday.meeting import Day
from lototrot.sample import facts
from tests.support.lototrot.answering import Answers, Turns, stage_of

LAST = date(2027, 5, 11)
CONTESTS = "lototrot/contests"
ASKED = {"id": 1}


def night(jobs: int) -> dict[str, Any]:
    """Return the long work of a night in which so many jobs were done."""
    return {"state": "done", "fault": "", "fault_data": {}, "result": {"jobs": jobs}}


def test_the_last_day_to_claim_is_the_latest_of_the_ordered_contests() -> None:
    answers = Answers().to(
        CONTESTS,
        [{"id": 1, "state": "ordered"}, {"id": 2, "state": "ordered"}, {"id": 3, "state": "open"}],
    )
    for contest, day in ((1, "2027-05-10"), (2, "2027-05-11")):
        order = {"payment_order": {"last_claim_day": day}}
        answers.to(f"{CONTESTS}/{contest}/settlement", order)
    assert nights._last_claim_day(stage_of(answers)) == LAST
    none = Answers().to(CONTESTS, [{"id": 3, "state": "open"}])
    with pytest.raises(Amiss, match="no payment was ordered"):
        nights._last_claim_day(stage_of(none))


def statements(balance_cents: int = 400, paper: bytes = b"%PDF-1.7") -> Answers:
    """Return a system with two statements of one premises, the newest first."""
    newest = {"uuid": "n", "premises": "P-0001", "closing_cents": 400}
    oldest = {"uuid": "o", "premises": "P-0001", "closing_cents": 900}
    answers = Answers().to("nights", ASKED).to("statements", [newest, oldest])
    answers.to("long-work/1", night(0))
    answers.to("premises/P-0001/account", {"balance_cents": balance_cents})
    return answers.to("statements/n.pdf", paper)


def test_the_newest_statement_of_each_premises_is_its_account(
    capsys: pytest.CaptureFixture[str],
) -> None:
    nights._statements(stage_of(statements()))
    assert "1 premises owe 4.00 €" in capsys.readouterr().out
    with pytest.raises(Amiss, match="a statement is not the books"):
        nights._statements(stage_of(statements(balance_cents=401)))
    with pytest.raises(Amiss, match="no PDF"):
        nights._statements(stage_of(statements(paper=b"<html>")))
    with pytest.raises(Amiss, match="no statement was issued"):
        nights._statements(stage_of(statements().to("statements", [])))


def lapsing(**changes: Any) -> Answers:
    """Return a system in which 1,000 cents of contest 1 lapse into contest 9."""
    prizes = "lototrot:contest:1:prizes"
    due = [{"code": prizes, "balance_cents": 1_000}, {"code": f"{prizes}:x", "balance_cents": 7}]
    replies: dict[str, Any] = {
        CONTESTS: [{"id": 1, "state": "ordered"}],
        "ledger/accounts": Turns([due, []]),
        "clock": None,
        "nights": Turns([ASKED, [{"counts": {"documents": 3}}], ASKED]),
        "long-work/1": Turns([night(2), night(0)]),
        nights.CHAIN: {"next_contest": 9, "lapsed_cents": 1_000},
        "nights/undone": {"items": []},
    }
    answers = Answers()
    for path, answer in (replies | changes).items():
        answers.to(path, answer)
    return answers


def following(answers: Answers) -> Day:
    day = Day(facts.load(facts.BOTH), stage_of(answers).staff, contest=9)
    day.meeting["day"] = "2027-05-15"
    return day


@pytest.mark.article("14.III.10.2", "14.III.10.7")
def test_what_nobody_claimed_goes_into_the_next_meeting(capsys: pytest.CaptureFixture[str]) -> None:
    answers = lapsing()
    assert nights.nights_lapse_the_rest(stage_of(answers), LAST, following(answers)) == 1_000
    (moved,) = answers.bodies("clock")
    assert moved["now"] == datetime(2027, 5, 12, 0, 30, tzinfo=MADRID).isoformat()
    assert "10.00 € that nobody claimed go into the 7/7 of 2027-05-15" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({"ledger/accounts": []}, "nobody left anything unclaimed"),
        (
            {"ledger/accounts": [{"code": "lototrot:contest:1:prizes", "balance_cents": 5}]},
            "5 cents have lapsed and not moved",
        ),
        ({nights.CHAIN: {"next_contest": 8, "lapsed_cents": 1_000}}, "another meeting is next"),
        ({nights.CHAIN: {"next_contest": 9, "lapsed_cents": 999}}, "does not hold what lapsed"),
        ({"nights/undone": {"items": [{"job": "audit"}]}}, "a job is not done"),
    ],
)
def test_what_does_not_come_out_is_amiss(changes: dict[str, Any], wrong: str) -> None:
    answers = lapsing(**changes)
    with pytest.raises(Amiss, match=wrong):
        nights.nights_lapse_the_rest(stage_of(answers), LAST, following(answers))


def test_a_night_that_runs_twice_is_amiss() -> None:
    answers = lapsing(**{"long-work/1": Turns([night(2), night(1)])})
    with pytest.raises(Amiss, match="a night was run twice"):
        nights.nights_lapse_the_rest(stage_of(answers), LAST, following(answers))

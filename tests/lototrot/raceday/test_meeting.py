"""Do the acts of the organiser and the stewards, and wait for what the system does by itself."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from core.tools.raceday.api import ApiProblem
from core.tools.raceday.stage import Amiss
from lototrot.raceday import meeting
from lototrot.raceday.meeting import Day
from lototrot.sample import facts
from lototrot.sample.facts import Outcome
from tests.support.lototrot.answering import Answers, Turns, problem, staff_of

NOW = datetime(2027, 4, 10, 15, tzinfo=UTC)
CONTEST = "lototrot/contests/7"


def day_of(answers: Answers) -> Day:
    return Day(facts.load(facts.SON_PARDO), staff_of(answers), contest=7)


def test_time_that_is_past_already_is_left_as_it_is() -> None:
    meeting.clock_move(staff_of(Answers().to("clock", problem("clock_backwards"))), NOW, "x")
    forbidden = Answers().to("clock", problem("forbidden", 403))
    with pytest.raises(ApiProblem, match="forbidden"):
        meeting.clock_move(staff_of(forbidden), NOW, "x")


@pytest.mark.article("14.III.3")
def test_a_start_is_reported_after_it_happened_with_its_own_time() -> None:
    answers = Answers().to("clock", None).to("lototrot/races/3/start", {"proposal": "p"})
    answers.to("proposals/p/confirmation", None)
    day = day_of(answers)
    race = day.facts.races[0]
    day.race_ids[race.racecourse, race.race] = 3
    meeting.start(day, race, delay_s=20)
    (moved,), (report,) = answers.bodies("clock"), answers.bodies("lototrot/races/3/start")
    assert moved["now"] == (race.started_at + timedelta(seconds=20)).isoformat()
    assert report["actual_start_at"] == race.started_at.isoformat()
    assert answers.asked[-1][0] == "proposals/p/confirmation", "another steward confirms it"


@pytest.mark.article("14.III.4")
def test_a_delayed_start_is_announced_and_the_closing_moved_by_two() -> None:
    answers = Answers().to("lototrot/races/3/announced-start", None)
    answers.to("lototrot/contests/7/schedule/postponement", {"proposal": "p"})
    answers.to("proposals/p/confirmation", None)
    day = day_of(answers)
    race = day.facts.races[0]
    day.race_ids[race.racecourse, race.race] = 3
    day.contest = 7
    meeting.closing_postpone(day, race, NOW)
    (announced,) = answers.bodies("lototrot/races/3/announced-start")
    (moved,) = answers.bodies("lototrot/contests/7/schedule/postponement")
    assert announced["start_at"] == moved["scheduled_close_at"] == NOW.isoformat()


@pytest.mark.article("14.III.4")
def test_a_stop_is_lifted_by_two() -> None:
    answers = Answers().to("lototrot/races/3/stop", {"id": 5})
    answers.to("lototrot/stops/5/lifting", {"proposal": "p"})
    answers.to("proposals/p/confirmation", None)
    day = day_of(answers)
    race = day.facts.races[0]
    day.race_ids[race.racecourse, race.race] = 3
    meeting.stop_lift(day, meeting.stop(day, race))
    assert answers.asked[-1][0] == "proposals/p/confirmation"


@pytest.mark.parametrize(
    ("outcome", "place", "entry"),
    [
        (Outcome.PLACED, 1, {"outcome": "winner", "place": 1}),
        (Outcome.PLACED, 2, {"outcome": "started", "place": 2}),
        (Outcome.UNPLACED, None, {"outcome": "started"}),
        (Outcome.PULLED_UP, None, {"outcome": "started"}),
        (Outcome.DISQUALIFIED, None, {"outcome": "disqualified"}),
        (Outcome.WITHDRAWN, None, {"outcome": "withdrawn"}),
        (Outcome.LEFT, None, {"outcome": "left"}),
    ],
)
def test_each_outcome_of_the_facts_has_its_entry(
    outcome: Outcome, place: int | None, entry: dict[str, Any]
) -> None:
    assert meeting._entry(4, outcome, place) == {"number": 4} | entry


@pytest.mark.article("14.III.9.9")
def test_a_classification_names_every_runner_and_is_confirmed() -> None:
    answers = Answers().to("clock", {"now": NOW.isoformat()})
    answers.to("lototrot/races/3/classification", {"proposal": "p"})
    answers.to("proposals/p/confirmation", None)
    day = day_of(answers)
    race = next(race for race in day.facts.races if len(race.winners) > 1)
    day.race_ids[race.racecourse, race.race] = 3
    meeting.classify(day, race)
    (entered,) = answers.bodies("lototrot/races/3/classification")
    winners = [each["number"] for each in entered["runners"] if each["outcome"] == "winner"]
    assert winners == list(race.winners)
    assert len(entered["runners"]) == len(race.runners)
    assert " i ".join(map(str, race.winners)) in entered["announced_text"]
    assert answers.asked[-1] == ("proposals/p/confirmation", None)


def test_without_a_breach_nobody_proposes_anything() -> None:
    answers = Answers().to(f"{CONTEST}/breaches", [])
    assert meeting.breach_void(day_of(answers)) == []
    assert [path for path, _ in answers.asked] == [f"{CONTEST}/breaches"]


@pytest.mark.article("14.III.4")
def test_bets_in_breach_are_voided_together_and_returned() -> None:
    breaches = [{"ticket": "a"}, {"ticket": "b"}]
    answers = Answers().to(f"{CONTEST}/breaches", breaches)
    answers.to(f"{CONTEST}/breaches/void", {"proposal": "p"})
    answers.to("proposals/p/confirmation", None)
    assert meeting.breach_void(day_of(answers)) == breaches
    assert len(answers.bodies(f"{CONTEST}/breaches/void")) == 1


def test_the_seal_is_awaited_in_the_public_log() -> None:
    entry = {"document": {"tickets": 3}, "sequence": 9}
    answers = Answers().to("log", Turns([{"items": []}, {"items": [entry]}]))
    assert meeting.seal_wait(day_of(answers)) == entry
    assert answers.bodies("log")[0] == {"kind": "lototrot.seal", "subject": "contest:7"}


def test_a_seal_that_does_not_come_is_amiss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meeting, "SEALED_WITHIN_S", 0)
    answers = Answers().to("log", {"items": []})
    with pytest.raises(Amiss, match="the seal of contest 7"):
        meeting.seal_wait(day_of(answers))


def settling(asked: dict[str, Any], *looks: Any) -> Answers:
    """Return a system that answers a request to settle, and then each look at the settlement."""
    return Answers().to(f"{CONTEST}/settlement", Turns([asked, *looks]))


def test_the_settlement_is_asked_for_and_awaited() -> None:
    unknown = problem("settlement_unknown", 404)
    answers = settling({"sent": True, "state": "closed"}, unknown, {"tickets": 5})
    assert meeting.settlement_wait(day_of(answers)) == {"tickets": 5}
    settled = settling({"sent": False, "state": "settled"}, {"tickets": 5})
    assert meeting.settlement_wait(day_of(settled)) == {"tickets": 5}


def test_a_settlement_that_no_worker_was_asked_for_is_amiss() -> None:
    with pytest.raises(Amiss, match="no worker was asked"):
        meeting.settlement_wait(day_of(settling({"sent": False, "state": "closed"})))


def test_another_refusal_while_it_waits_is_raised() -> None:
    answers = settling({"sent": True, "state": "closed"}, problem("power_missing", 403))
    with pytest.raises(ApiProblem, match="power_missing"):
        meeting.settlement_wait(day_of(answers))

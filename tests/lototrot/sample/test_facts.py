"""The sample meetings: programme and facts belong together, and the real facts are as they were."""

import json
from collections import Counter
from pathlib import Path

import pytest

from lototrot.engine.programme_csv import parse_csv
from lototrot.engine.programme_json import parse_json, to_json
from lototrot.sample import facts
from lototrot.sample.facts import Outcome, RaceDay, Withdrawal

SOURCE = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "trotting_rounds.jsonl"
ROUNDS = {facts.SON_PARDO: 141, facts.MANACOR: 197, facts.BOTH: 170}  # lines of the source, from 0
RENAMED = {(facts.BOTH, 7, "Merry Face")}  # the source's name holds a word that insults people
CODES = {
    "99": Outcome.UNPLACED,
    "utg": Outcome.PULLED_UP,
    "d": Outcome.DISQUALIFIED,
    "s": Outcome.WITHDRAWN,
}


@pytest.fixture(params=facts.MEETINGS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def day(name: str) -> RaceDay:
    return facts.load(name)


def test_the_files_are_in_the_canonical_form(name: str) -> None:
    data = facts.programme_file(name)
    assert to_json(parse_json(data)) == data


def test_the_main_meeting_is_the_same_as_csv() -> None:
    as_csv = parse_csv(facts.programme_file(facts.SON_PARDO, "csv"))
    assert as_csv == facts.load(facts.SON_PARDO).programme


@pytest.mark.article("14.III.5.1")
def test_the_facts_are_those_of_the_programme(day: RaceDay) -> None:
    assert len(day.races) == len(day.programme.races) == 7
    for race, planned in zip(day.races, day.programme.races, strict=True):
        assert (race.racecourse, race.race) == (planned.racecourse, planned.number)
        assert race.started_at >= planned.scheduled_start
        assert [runner.number for runner in race.runners] == [
            runner.number for runner in planned.runners
        ]
        assert race.winners
        assert all(
            (runner.place is None) != (runner.outcome is Outcome.PLACED) for runner in race.runners
        )
    starts = [race.started_at for race in day.races]
    assert starts == sorted(set(starts))
    assert Counter(day.withdrawals) == Counter(
        Withdrawal(race.racecourse, race.race, runner.number)
        for race in day.races
        for runner in race.runners
        if runner.outcome is Outcome.WITHDRAWN
    )


def test_the_days_follow_each_other() -> None:
    """The second the day after the first; the third after the tickets of both have lapsed."""
    first, second, third = (facts.load(name).programme.day for name in facts.MEETINGS)
    assert (second - first).days == 1
    assert (third - second).days > 31


@pytest.mark.article("14.III.5.4.1", "14.III.9.9")
def test_the_main_day_has_a_dead_heat_won_by_a_substitute() -> None:
    day = facts.load(facts.SON_PARDO)
    assert [race.winners for race in day.races] == [(2,), (10,), (4,), (8, 13), (4,), (1,), (1,)]
    assert day.withdrawals[:2] == (Withdrawal("SONPARDO", 4, 6), Withdrawal("SONPARDO", 4, 7))
    assert len(day.withdrawals) == 5


def test_bet_shares_without_the_withdrawn() -> None:
    day = facts.load(facts.SON_PARDO)
    whole, left = day.bet_shares(), day.bet_shares(day.withdrawals)
    assert all(abs(sum(race.values()) - 10_000) < 30 for race in whole)
    assert whole[3].keys() - left[3].keys() == {6, 7}
    assert sum(map(len, whole)) - sum(map(len, left)) == 5


def test_horses_numbers_results_and_shares_are_the_source_s(name: str, day: RaceDay) -> None:
    if not SOURCE.exists():
        pytest.skip(
            "the source of the sample's facts is not beside this checkout (nothing to install)"
        )
    line = SOURCE.read_text("utf-8").splitlines()[ROUNDS[name]]
    for leg, race, planned in zip(
        json.loads(line)["legs"], day.races, day.programme.races, strict=True
    ):
        assert tuple(leg["winners"]) == race.winners
        for source, runner, entered in zip(
            leg["runners"], race.runners, planned.runners, strict=True
        ):
            assert source["n"] == runner.number
            assert source["horse"] == entered.name or (name, runner.number, entered.name) in RENAMED
            assert runner.outcome is CODES.get(source["result"], Outcome.PLACED)
            assert runner.place is None or str(runner.place) == source["result"]
            assert runner.bet_share_bp == round(source["bet_share"] * 10_000)


def test_the_note_says_what_is_real(day: RaceDay) -> None:
    assert "facts of a real seven-race trotting round" in day.note
    assert "sample's own" in day.note


def test_an_unknown_meeting_is_not_found() -> None:
    with pytest.raises(FileNotFoundError):
        facts.load("nowhere")

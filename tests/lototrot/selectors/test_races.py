"""Read what is on record about races, and from which instant a bet is in breach."""

from datetime import timedelta

import pytest

from core.database import clock
from lototrot.engine.races import RaceMalformed
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.selectors.races import (
    RaceState,
    classified_facts,
    contest_limit,
    race_record,
    race_records,
)
from tests.support import factories as f

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.1")]


def test_a_race_goes_from_its_schedule_to_its_classification(contest: Contest) -> None:
    scheduled, started, declared, classified = f.races_of(contest)[:4]
    f.started(started)
    f.declared(declared)
    f.classified(classified, [1])
    records = race_records([race.pk for race in (scheduled, started, declared, classified)])
    assert [record.state for record in records.values()] == [
        RaceState.SCHEDULED,
        RaceState.STARTED,
        RaceState.DECLARED,
        RaceState.CLASSIFIED,
    ]
    assert records[scheduled.pk].draw_due_at is None


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_a_certified_draw_gives_a_declared_race_its_winner(race: Race) -> None:
    declaration = f.declared(race)
    assert race_record(race.pk).facts().winners == frozenset()
    assert race_record(race.pk).draw_due_at == declaration.declared_at + timedelta(hours=2)
    f.drawn(race, 3)
    record = race_record(race.pk)
    assert (record.state, record.facts().winners) == (RaceState.DRAWN, {3})


@pytest.mark.article("14.III.5.3")
def test_a_classification_gives_every_number_one_outcome() -> None:
    runners = [
        {"number": 1, "outcome": "winner"},
        {"number": 2, "outcome": "left"},
        {"number": 3, "outcome": "withdrawn"},
    ]
    facts = classified_facts((1, 2, 3), runners)
    assert (facts.winners, facts.left, facts.withdrawn) == ({1}, {2}, {3})
    with pytest.raises(RaceMalformed):
        classified_facts((1, 2), runners)


def test_a_late_withdrawal_does_not_count(race: Race) -> None:
    withdrawal = f.withdrawal(race, 4)
    assert race_record(race.pk).withdrawn == {4}
    f.started(race, at=withdrawal.effective_at - timedelta(seconds=1))
    record = race_record(race.pk)
    assert record.withdrawn == frozenset()
    assert not record.in_time(withdrawal.effective_at)


@pytest.mark.article("14.III.4")
def test_the_first_start_of_any_leg_is_the_limit(contest: Contest) -> None:
    assert contest_limit(contest.pk) is None
    first, second = f.races_of(contest)[:2]
    began = clock.now()
    f.time_pass(seconds=1)
    f.started(first)
    f.started(second, at=began)
    assert contest_limit(contest.pk) == began

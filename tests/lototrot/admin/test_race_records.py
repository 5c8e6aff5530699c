"""A page reads its races once, and its acts get the same answers as without a page."""

import pytest
from pytest_django import DjangoAssertNumQueries

from core.staff.powers import Role
from lototrot.admin.race_records import (
    is_ordered,
    is_proposed,
    is_selling,
    reading,
    record_of,
    records_of,
)
from lototrot.models.contest import Contest
from lototrot.selectors.races import RaceState, race_records
from lototrot.services.races import classification, starts
from tests.support import factories, paying, rounds

NUMBERS = (1, 2, 3, 4)

pytestmark = pytest.mark.django_db


def answers(race_ids: list[int]) -> list[tuple[object, ...]]:
    return [
        (
            record_of(race),
            records_of([race]),
            is_proposed(starts.START, race),
            is_proposed(classification.CLASSIFICATION, race),
            is_selling(race),
            is_ordered(race),
        )
        for race in race_ids
    ]


def on_sale() -> Contest:
    factories.time_to(rounds.NOON)
    return rounds.contest(rounds.rules(), [NUMBERS] * 7)


def test_a_page_answers_about_each_race_as_one_that_is_asked_alone(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    contest = on_sale()
    first, second, *_ = races = factories.races_of(contest)
    race_ids = [race.pk for race in races]
    factories.time_to(first.scheduled_start_at)
    by = factories.staff(Role.STEWARDS)
    starts.start_report(
        by=by, race_id=first.pk, actual_start_at=first.scheduled_start_at, source="Jutge"
    )
    factories.withdrawal(second, 4)
    alone = answers(race_ids)
    assert [row[2] for row in alone] == [True, *[False] * 6]
    assert not any(row[3] or row[5] for row in alone)
    assert all(row[4] for row in alone)
    with reading(*race_records(race_ids).values()), django_assert_num_queries(3):
        assert answers(race_ids) == alone  # proposals with the clock, and contests


def test_a_race_that_the_page_has_not_read_is_read() -> None:
    first, second, *_ = factories.races_of(on_sale())
    with reading(*race_records([first.pk]).values()):
        factories.started(second)
        assert record_of(second.pk).state is RaceState.STARTED
        both = records_of([first.pk, second.pk])
    assert [record.state for record in both.values()] == [RaceState.SCHEDULED, RaceState.STARTED]


def test_a_race_of_an_ordered_contest_is_neither_on_sale_nor_correctable() -> None:
    paying.settled(1, losers=1)
    for race in factories.races_of(Contest.objects.get()):
        assert is_ordered(race.pk)
        assert not is_selling(race.pk)

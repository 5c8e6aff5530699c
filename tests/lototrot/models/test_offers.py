"""Check that the numbers on sale are those of the programme without the withdrawals in force."""

from collections.abc import Iterable
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import Withdrawal
from tests.support import factories

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.1")]

ALL = 0b1111111111


def masks(of: Contest) -> list[int]:
    return list(Contest.objects.values_list("offered_masks", flat=True).get(pk=of.pk))


@transaction.atomic
def races_of(*numbers: Iterable[int]) -> list[Race]:
    """Return races of a new meeting, with the numbers of each."""
    meeting, course = factories.meeting(races=0), factories.racecourse()
    starts_at = clock.now() + timedelta(hours=2)
    return [
        factories.race(meeting, number, starts_at, numbers=each, course=course)
        for number, each in enumerate(numbers, start=1)
    ]


@pytest.mark.parametrize("state", [Contest.State.DRAFT, Contest.State.OPEN])
def test_nobody_takes_a_horse_off_sale_or_puts_it_back_by_an_update(state: str) -> None:
    """A program with the application's role did: the horse was not sold, without any act."""
    contest = factories.contest(state=state)
    factories.withdrawal(factories.races_of(contest)[0], 4)
    assert masks(contest) == [ALL ^ 0b1000, *[ALL] * 6]
    for wrong in (
        [ALL] * 7,
        [ALL ^ 0b1001, *[ALL] * 6],
        [ALL ^ 0b1000, *[ALL] * 5],
        [*[ALL] * 6, ALL ^ 0b1000],
        [ALL ^ 0b1000 | 1 << 20, *[ALL] * 6],
    ):
        with pytest.raises(IntegrityError, match="offer other numbers"), transaction.atomic():
            Contest.objects.filter(pk=contest.pk).update(offered_masks=wrong)


def test_a_horse_comes_back_with_the_act_that_reverses_its_withdrawal() -> None:
    contest = factories.contest()
    withdrawn = factories.withdrawal(factories.races_of(contest)[1], 10)
    assert masks(contest) == [ALL, ALL ^ 1 << 9, *[ALL] * 5]
    content = {"withdrawal": withdrawn.pk, "reason": "Mistaken"}
    with transaction.atomic():
        reversal = factories.proposal("lototrot.withdrawal_reversal", content=content)
        Withdrawal.objects.filter(pk=withdrawn.pk).update(
            reversed_at=withdrawn.entered_at, reversed_reason="Mistaken", reversal=reversal
        )
    assert masks(contest) == [ALL] * 7


def test_the_largest_number_and_every_leg_have_a_place_in_the_masks() -> None:
    races = races_of(*([n, 31] for n in range(1, 6)))
    contest = factories.contest(races=races[::-1], kind="five-races")
    assert masks(contest) == [1 << n - 1 | 1 << 30 for n in (5, 4, 3, 2, 1)]


def test_a_draft_whose_races_change_offers_those_of_the_new_ones() -> None:
    races = races_of(*(range(1, 2 + n) for n in range(1, 7)))
    draft = factories.contest(races=races[:5], kind="five-races", state=Contest.State.DRAFT)
    assert masks(draft) == [0b11, 0b111, 0b1111, 0b11111, 0b111111]
    draft.legs.filter(position=1).update(race=races[5])
    assert masks(draft) == [0b1111111, 0b111, 0b1111, 0b11111, 0b111111]


def test_a_closed_contest_keeps_what_it_offered() -> None:
    contest = factories.contest_closed(factories.contest(), sealed=False)
    factories.withdrawal(factories.races_of(contest)[0], 5)
    assert masks(contest) == [ALL] * 7

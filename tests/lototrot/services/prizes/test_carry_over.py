"""Unclaimed prizes into the 7/7 of the right meeting, whenever that meeting is known [D3, C5]."""

from datetime import date, timedelta

import pytest

from core.kernel.days import natural_day
from core.ledger import services as ledger
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.models.settlement import CarryOver
from lototrot.selectors.settlement.unclaimed import carry_overs_waiting
from lototrot.services.prizes.carry_over import carry_overs_due, lapsed_carry_over, meeting_after
from lototrot.services.settlement.settling import LapsedNotCarriedOver, contest_settle, settleable
from tests.support import factories, rounds

CODE = "two-legs"
RULES = rounds.rules(**rounds.TWO_LEGS)
FACTS = [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2


def waiting(day: date, cents: int) -> None:
    """Prizes that lapsed with a last day, not carried over yet."""
    rounds.fund(accounts.carry_over(CODE, day), cents)


def meeting(day: date) -> Contest:
    return rounds.contest(RULES, [(1, 2, 3)] * 2, day=day)


@pytest.fixture
def today(db: None) -> date:
    return natural_day(factories.time_to(rounds.NOON))


@pytest.mark.article("14.III.10.7")
def test_the_first_meeting_dated_after_the_last_day_gets_it(today: date) -> None:
    tomorrow = today + timedelta(days=1)
    same, later, last = meeting(today), meeting(tomorrow + timedelta(days=1)), meeting(tomorrow)
    waiting(today, 500)
    waiting(today - timedelta(days=1), 30)
    assert meeting_after(CODE, today) == last
    assert carry_overs_due() == sorted([same.pk, last.pk])
    assert lapsed_carry_over(contest_id=later.pk) == 0
    assert lapsed_carry_over(contest_id=last.pk) == 500
    assert lapsed_carry_over(contest_id=last.pk) == 0
    assert lapsed_carry_over(contest_id=same.pk) == 30
    assert ledger.balance_cents(accounts.lapsed(last.pk)) == 500
    assert ledger.balance_cents(accounts.carry_over(CODE, today)) == 0
    assert carry_overs_due() == []
    waiting(today, 7)  # a deposit was refused the same day, later
    assert lapsed_carry_over(contest_id=last.pk) == 7
    assert [p.cents for p in CarryOver.objects.filter(contest=last).order_by("pk")] == [500, 7]


def test_it_stays_where_it_is_if_a_meeting_of_an_earlier_day_is_opened_later(today: date) -> None:
    later = meeting(today + timedelta(days=3))
    waiting(today, 500)
    assert lapsed_carry_over(contest_id=later.pk) == 500
    added = meeting(today + timedelta(days=1))
    assert carry_overs_due() == []
    waiting(today, 7)
    assert carry_overs_due() == [added.pk]
    assert lapsed_carry_over(contest_id=added.pk) == 7
    assert ledger.balance_cents(accounts.lapsed(later.pk)) == 500


def test_it_waits_for_a_meeting_and_does_not_pass_over_one_in_preparation(today: date) -> None:
    waiting(today, 500)
    assert carry_overs_due() == []
    day = today + timedelta(days=3)
    draft = factories.contest(
        factories.meeting(day=day, numbers=(1, 2, 3), races=2),
        rules=rounds.record(RULES),
        state=Contest.State.DRAFT,
        closes_at=rounds.NOON + timedelta(days=3),
    )
    after = meeting(today + timedelta(days=5))
    assert meeting_after(CODE, today) is None
    assert lapsed_carry_over(contest_id=after.pk) == 0
    factories.contest_opened(draft, at=rounds.NOON)
    assert carry_overs_due() == [draft.pk]
    other = today + timedelta(days=4)
    waiting(other, 20)
    assert lapsed_carry_over(contest_id=after.pk) == 20
    assert lapsed_carry_over(contest_id=draft.pk) == 500


def test_one_that_never_opened_is_passed_over_once_its_day_is_past(today: date) -> None:
    """[A20]"""
    factories.contest(
        factories.meeting(day=today + timedelta(days=1), numbers=(1, 2, 3), races=2),
        rules=rounds.record(RULES),
        state=Contest.State.DRAFT,
        closes_at=rounds.NOON + timedelta(days=1),
    )
    after = meeting(today + timedelta(days=5))
    waiting(today, 500)
    assert carry_overs_due() == []
    factories.time_to(rounds.NOON + timedelta(days=1, minutes=1))
    assert carry_overs_due() == []
    factories.time_to(rounds.NOON + timedelta(days=2))
    assert carry_overs_due() == [after.pk]


def test_a_meeting_does_not_settle_before_prizes_are_carried_over(today: date) -> None:
    contest = meeting(today)
    rounds.sell(contest, factories.point(), [(1, 1), (2, 2)])
    rounds.run(contest, FACTS)
    waiting(today, 40)
    waiting(today - timedelta(days=1), 60)
    with pytest.raises(LapsedNotCarriedOver):
        settleable(contest)
    lapsed_carry_over(contest_id=contest.pk)
    settled = contest_settle(contest_id=contest.pk)
    assert settled.lapsed_in_cents == 60
    assert [each for each in carry_overs_waiting(CODE) if each[1]] == [(today, 40)]


@pytest.mark.article("14.III.10.7")
def test_what_is_refused_after_a_meeting_was_settled_ahead_of_its_day_is_found(today: date) -> None:
    called_off = meeting(today + timedelta(days=5))
    rounds.run(called_off, FACTS)
    contest_settle(contest_id=called_off.pk)
    waiting(today, 500)
    assert carry_overs_due() == []
    after = meeting(today + timedelta(days=8))
    assert carry_overs_due() == [after.pk]
    assert lapsed_carry_over(contest_id=after.pk) == 500

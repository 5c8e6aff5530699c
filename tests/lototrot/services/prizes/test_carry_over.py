"""Unclaimed prizes into the 7/7 of the right meeting, whenever that meeting is known [D3, C5]."""

from datetime import date, timedelta

import pytest
from django.db import connections

from core.database import clock
from core.kernel.days import natural_day
from core.ledger import services as ledger
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.models.settlement import CarryOver
from lototrot.services.prizes import carry_over
from lototrot.services.prizes.carry_over import carry_overs_due, lapsed_carry_over, meeting_after
from lototrot.services.settlement.auditing import audit_contests
from lototrot.services.settlement.settling import LapsedNotCarriedOver, contest_settle, settleable
from tests.support import factories, rounds
from tests.support.databases import Database

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
    Contest.objects.filter(pk=draft.pk).update(state=Contest.State.OPEN, opened_at=rounds.NOON)
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
    assert [each for each in carry_over.carry_overs_waiting(CODE) if each[1]] == [(today, 40)]


# --- The audit ------------------------------------------------------------------------------------


@pytest.fixture
def season(own_database: Database) -> list[Contest]:
    """Two settled meetings of a chain, the first without a winner of everything."""
    factories.time_to(rounds.NOON)
    point, made = factories.point(), []
    for masks in ([(2, 1), (4, 4)], [(1, 1), (2, 1), (3, 3)]):
        contest = rounds.contest(RULES, [(1, 2, 3)] * 2, day=natural_day(clock.now()))
        rounds.sell(contest, point, masks)
        rounds.run(contest, FACTS)
        contest_settle(contest_id=contest.pk)
        Contest.objects.filter(pk=contest.pk).update(state=Contest.State.ORDERED)
        made.append(contest)
        rounds.later(1)
    return made


def tampered(statement: str) -> None:
    """Change a table as a person with the owner's password could, with its triggers disabled."""
    table = statement.split()[1]
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(statement)
        assert cursor.rowcount > 0


FORGERIES = {
    "UPDATE lototrot_ticket SET leg_1 = 1 WHERE leg_1 = 2": {"figures", "categories"},
    "UPDATE lototrot_ticket SET amount_cents = amount_cents + 1 WHERE bets = 1": {"takings_cents"},
    "UPDATE lototrot_prize SET prize_cents = prize_cents + 1": {"prizes_of_rows"},
    "UPDATE lototrot_prize SET winning_bets = '{1,0}'": {"right_prize_rows", "winners_of_rows"},
    "UPDATE lototrot_settlement SET jackpot_out_cents = 12345 WHERE id = 1": {"jackpot_out_cents"},
    "UPDATE lototrot_settlement SET races = '[]' WHERE id = 1": {"races"},
    "UPDATE lototrot_settlementcategory SET winning_bets = 9": {"categories"},
}


def test_the_audit_counts_anew_and_finds_what_was_forged(season: list[Contest]) -> None:
    sound = audit_contests()
    assert (sound.findings, sound.contests, sound.tickets) == ([], 2, 5)
    assert sound.prizes > 0
    assert sound.jackpot_cents[CODE] == ledger.balance_cents(accounts.jackpot(CODE))
    for statement, checks in FORGERIES.items():
        tampered(statement)
        found = {each.check for each in audit_contests().findings}
        assert checks <= found, statement

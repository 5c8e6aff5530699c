"""Compute settlements again from tickets and results, and find every figure that was forged."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.ledger import services as ledger
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.models.settlement import CarryOver
from lototrot.services.prizes.carry_over import lapsed_carry_over
from lototrot.services.settlement.auditing import audit_contests
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import forge

CODE = "two-legs"
RULES = rounds.rules(**rounds.TWO_LEGS)
WON_BY_ONE = [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2


@pytest.fixture
def season(own_database: Database) -> list[Contest]:
    """Two settled meetings of a chain, the first without a winner of everything."""
    factories.time_to(rounds.NOON)
    point, contests = factories.point(), []
    for masks in ([(2, 1), (4, 4)], [(1, 1), (2, 1), (3, 3)]):
        contest = rounds.contest(RULES, [(1, 2, 3)] * 2, day=natural_day(clock.now()))
        rounds.sell(contest, point, masks)
        rounds.run(contest, WON_BY_ONE)
        contest_settle(contest_id=contest.pk)
        Contest.objects.filter(pk=contest.pk).update(state=Contest.State.ORDERED)
        contests.append(contest)
        rounds.later(1)
    return contests


def checks() -> set[str]:
    """Return the names of the figures that differ."""
    return {finding.check for finding in audit_contests().findings}


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
    assert sound.reserve_cents[CODE] == ledger.balance_cents(accounts.reserve(CODE))
    for statement, differing in FORGERIES.items():
        forge(statement)
        assert differing <= checks(), statement


def test_a_forged_jackpot_is_found_though_the_next_meeting_agrees_with_it(
    season: list[Contest],
) -> None:
    """The audit carries the jackpot on by itself, and reads none that is stored."""
    first, second = season
    forge("UPDATE lototrot_settlement SET jackpot_out_cents = jackpot_out_cents + 5 WHERE id = 1")
    forge("UPDATE lototrot_settlement SET jackpot_in_cents = jackpot_in_cents + 5 WHERE id = 2")
    differences = {(finding.contest, finding.check) for finding in audit_contests().findings}
    assert {(first.pk, "jackpot_out_cents"), (second.pk, "jackpot_in_cents")} <= differences


@pytest.mark.django_db
def test_before_a_settlement_the_takings_are_those_of_the_tickets() -> None:
    factories.time_to(rounds.NOON)
    factories.contest(state=Contest.State.DRAFT)
    contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(contest, factories.point(), [(1, 1), (3, 3)])
    audit = audit_contests()
    assert (audit.contests, audit.findings) == (1, [])
    takings = ledger.liability(contest.takings_account.code)
    rounds.fund(takings, 100)
    (finding,) = audit_contests().findings
    assert (finding.contest, finding.check) == (contest.pk, "takings_account")
    assert finding.stored == finding.recounted + 100


@pytest.mark.django_db
@pytest.mark.article("14.III.10.7")
def test_money_carried_over_that_no_claim_lost_is_found() -> None:
    factories.time_to(rounds.NOON)
    today = natural_day(clock.now())
    contest = rounds.contest(RULES, [(1, 2, 3)] * 2, day=today)
    before = today - timedelta(days=1)
    rounds.fund(accounts.carry_over(CODE, before), 60)
    assert lapsed_carry_over(contest_id=contest.pk) == 60
    (finding,) = audit_contests().findings
    assert (finding.check, finding.stored, finding.recounted) == ("carried_over", 60, 0)


def test_money_carried_over_into_a_meeting_of_the_same_day_is_found(
    own_database: Database,
) -> None:
    factories.time_to(rounds.NOON)
    today = natural_day(clock.now())
    contest = rounds.contest(RULES, [(1, 2, 3)] * 2, day=today)
    rounds.fund(accounts.carry_over(CODE, today - timedelta(days=1)), 60)
    lapsed_carry_over(contest_id=contest.pk)
    assert CarryOver.objects.count() == 1
    forge("UPDATE lototrot_carryover SET day = day + 1")
    assert {"carried_over_before_its_day", "carried_over"} <= checks()

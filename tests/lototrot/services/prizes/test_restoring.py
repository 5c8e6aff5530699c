"""Choose the account that gives lapsed prizes back (14.III.10.5) [C8]."""

from datetime import date

import pytest

from core.ledger import services as ledger
from core.ledger.services import Line
from lototrot import accounts, postings
from lototrot.models.contest import Contest
from lototrot.selectors.settlement.unclaimed import given_back
from lototrot.services.prizes.carry_over import lapsed_carry_over
from lototrot.services.prizes.restoring import borne_by_organiser, lapsed_source
from lototrot.services.settlement.settling import contest_settle, settlement_reverse
from tests.support import factories, rounds
from tests.support.lototrot import rights
from tests.support.lototrot.rights import JUNE_8, LAST_DAY, at

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.10.5", "14.III.10.7")]
JULY_13 = date(2030, 7, 13)


def source(contest: Contest, cents: int = 480_000) -> str:
    return lapsed_source(contest.bet_type_code, LAST_DAY, cents).code


def test_what_waits_gives_back_then_the_unsettled_meeting_then_the_organiser() -> None:
    contest, ticket = rights.washed()
    at(date(2030, 7, 9), 1)
    rights.night(LAST_DAY)
    for cents in (480_000, 3 * 480_000):
        assert source(contest, cents) == accounts.carry_over(contest.bet_type_code, LAST_DAY).code
    assert source(contest, 3 * 480_000 + 1) == accounts.late_claims().code
    later = rights.meeting(JULY_13)
    rounds.sell(later, factories.point(), [(1, 1)])
    assert lapsed_carry_over(contest_id=later.pk) == 3 * 480_000
    for cents in (480_000, 3 * 480_000):
        assert source(contest, cents) == accounts.lapsed(later.pk).code
    assert source(contest, 3 * 480_000 + 1) == accounts.late_claims().code
    at(JULY_13, 19)
    rights.run(later)
    contest_settle(contest_id=later.pk)
    assert source(contest) == accounts.late_claims().code
    settlement_reverse(contest_id=later.pk, by=factories.two_organisers()[0])
    assert source(contest) == accounts.lapsed(later.pk).code
    assert not borne_by_organiser(ticket.ticket.pk)


def test_a_meeting_gives_back_no_more_of_a_day_than_it_received_and_has_left() -> None:
    """The rest on its account is of other days, and stays in its 7/7."""
    contest, first, second = rights.washed(2)
    at(LAST_DAY, 12)
    later = rights.meeting(JULY_13)
    receipt = rights.washed_up_in_time()
    at(date(2030, 7, 9), 9)
    rounds.fund(accounts.lapsed(later.pk), 5 * 480_000)
    assert rights.matched(receipt, first).status_code == 201
    assert given_back(later) == {LAST_DAY: 480_000}
    assert source(contest, 2 * 480_000) == accounts.lapsed(later.pk).code
    assert source(contest, 3 * 480_000) == accounts.late_claims().code
    assert not borne_by_organiser(second.ticket.pk)


def test_a_lapse_and_its_return_are_opposite_for_the_books() -> None:
    lines = [
        postings.lapse(contest_id=1, bet_type_code="x", day=JUNE_8, cents=5),
        Line("x", accounts.carry_over("x", JUNE_8), accounts.prizes_payable(1), 5),
    ]
    balance: dict[str, int] = {}
    for line in lines:
        balance[line.debit.code] = balance.get(line.debit.code, 0) + line.amount_cents
        balance[line.credit.code] = balance.get(line.credit.code, 0) - line.amount_cents
    assert set(balance.values()) == {0}
    assert ledger.balance_cents(accounts.late_claims()) == 0

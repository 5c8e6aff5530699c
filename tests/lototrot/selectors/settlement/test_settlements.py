"""Read settlements, their winning tickets and the balances of a chain."""

import pytest

from lototrot import accounts
from lototrot.selectors.settlement.settlements import (
    SettlementUnknown,
    chain_balances,
    settlement_in_force,
    settlements_of,
    winning_tickets,
)
from tests.support import factories, rounds

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_the_winning_tickets_are_read_in_pages() -> None:
    contest = rounds.settled(factories.point(), [(1, 1), (1, 2), (2, 1), (4, 4)])
    rows = winning_tickets(settlement_in_force(contest.pk).pk)
    assert [row.prize_cents for row in rows] == [144, 48, 48]
    assert [row.ticket.pk for row in rows.filter(ticket_id__gt=rows[0].ticket_id)] == [
        row.ticket_id for row in list(rows)[1:]
    ]


def test_a_contest_that_is_not_settled_has_no_settlement_in_force() -> None:
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    assert not settlements_of(contest.pk).exists()
    with pytest.raises(SettlementUnknown):
        settlement_in_force(contest.pk)


@pytest.mark.article("14.III.9.4", "14.III.10.7")
def test_the_balances_of_a_chain_name_the_next_meeting() -> None:
    code = rounds.TWO_LEGS["code"]
    assert chain_balances(code).next_contest_id is None
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    for account, cents in (
        (accounts.jackpot(code), 500),
        (accounts.reserve(code), 20),
        (accounts.lapsed(contest.pk), 3),
    ):
        rounds.fund(account, cents)
    balances = chain_balances(code)
    assert (balances.jackpot_cents, balances.reserve_cents) == (500, 20)
    assert (balances.next_contest_id, balances.lapsed_cents) == (contest.pk, 3)

"""Check a settlement against the database before it is kept: one wrong cent keeps nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from core.ledger import services as ledger
from core.ledger.models import Transfer
from core.ledger.services import LedgerUnbalanced
from lototrot import postings
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize, Settlement
from lototrot.models.tickets import Ticket
from lototrot.services.settlement import settling
from lototrot.services.settlement.settling import SettlementUnsound, contest_settle
from tests.support import factories, rounds
from tests.support.factories import Point
from tests.support.lototrot.two_races import FOUR_RUNNERS, TICKETS, TWO, WON_BY_ONE, closed_contest

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def foreign_row(settlement_id: int, _: Contest) -> None:
    """A prize for a ticket that is not there."""
    Prize.objects.create(
        settlement_id=settlement_id, ticket_id=2**40, winning_bets=[1, 0], prize_cents=144
    )


def losing_ticket(settlement_id: int, contest: Contest) -> None:
    last = Ticket.objects.filter(contest=contest).latest("pk")
    Prize.objects.create(
        settlement_id=settlement_id, ticket=last, winning_bets=[0, 1], prize_cents=48
    )


def one_missing(settlement_id: int, contest: Contest) -> None:
    """All rows but one: inserted again for another settlement, which is the one checked."""
    rows = list(Prize.objects.filter(settlement_id=settlement_id))[1:]
    raise Replaced(
        [
            Prize(ticket_id=r.ticket_id, winning_bets=r.winning_bets, prize_cents=r.prize_cents)
            for r in rows
        ]
    )


def cent_moved(settlement_id: int, _: Contest) -> None:
    """A cent of one winner goes to another: rows and sum are as computed."""
    first, second, *rest = Prize.objects.filter(settlement_id=settlement_id).order_by("pk")
    first.prize_cents += 1
    second.prize_cents -= 1
    raise Replaced([first, second, *rest])


def tickets_exchanged(settlement_id: int, contest: Contest) -> None:
    """The prize of a winner goes to a ticket that won nothing: all sums are as computed."""
    first, *rest = Prize.objects.filter(settlement_id=settlement_id).order_by("pk")
    first.ticket_id = Ticket.objects.filter(contest=contest).latest("pk").pk
    raise Replaced([first, *rest])


class Replaced(Exception):
    """Carries the rows that are stored in the place of the right ones."""


@pytest.mark.parametrize(
    "tamper", [foreign_row, losing_ticket, one_missing, cent_moved, tickets_exchanged]
)
def test_prize_rows_tampered_with_are_found_and_nothing_is_kept(
    point: Point, monkeypatch: pytest.MonkeyPatch, tamper: Callable[[int, Contest], None]
) -> None:
    contest = closed_contest(point)
    insert = settling.prizes_insert

    def tampered(*args: Any, settlement_id: int, **options: Any) -> None:
        try:
            with transaction.atomic():
                insert(*args, settlement_id=settlement_id, **options)
                tamper(settlement_id, contest)
        except Replaced as replaced:
            rows = replaced.args[0]
            for row in rows:
                row.pk, row.settlement_id = None, settlement_id
            Prize.objects.bulk_create(rows)

    monkeypatch.setattr(settling, "prizes_insert", tampered)
    with pytest.raises(SettlementUnsound):
        contest_settle(contest_id=contest.pk)
    assert nothing_kept(contest)


@pytest.mark.parametrize("other", [{1: 53}, {2: 155}])
def test_a_prize_a_cent_off_is_found_and_nothing_is_kept(
    point: Point, monkeypatch: pytest.MonkeyPatch, other: dict[int, int]
) -> None:
    contest = closed_contest(point)
    insert = settling.prizes_insert

    def tampered(*args: Any, prize_each: dict[int, int], **options: Any) -> None:
        insert(*args, prize_each={**prize_each, **other}, **options)

    monkeypatch.setattr(settling, "prizes_insert", tampered)
    with pytest.raises(SettlementUnsound):
        contest_settle(contest_id=contest.pk)
    assert nothing_kept(contest)


@pytest.mark.parametrize("lost", range(12))
def test_a_transfer_left_out_or_doubled_is_found_and_nothing_is_kept(
    point: Point, monkeypatch: pytest.MonkeyPatch, lost: int
) -> None:
    contest = closed_contest(point)
    lines_of = postings.settlement_lines

    def without_one(**arguments: Any) -> list[ledger.Line]:
        lines = [line for line in lines_of(**arguments) if line.amount_cents]
        place = lost % len(lines)
        return lines[:place] + lines[place + 1 :]

    monkeypatch.setattr(postings, "settlement_lines", without_one)
    with pytest.raises(LedgerUnbalanced):
        contest_settle(contest_id=contest.pk)
    assert nothing_kept(contest)


def test_takings_that_the_ledger_does_not_have_are_found(point: Point) -> None:
    contest = rounds.contest(TWO, FOUR_RUNNERS)
    rounds.sell(contest, point, [rounds.masks(numbers) for numbers in TICKETS])
    place = ledger.premises_account(point.premises.pk)
    takings = ledger.liability(contest.takings_account.code)
    ledger.post(reference=factories.proposal().uuid, lines=[ledger.Line("test", place, takings, 1)])
    rounds.run(contest, WON_BY_ONE)
    with pytest.raises(LedgerUnbalanced) as refusal:
        contest_settle(contest_id=contest.pk)
    assert refusal.value.data["account"] == contest.takings_account.code
    assert nothing_kept(contest, takings=401)


def nothing_kept(contest: Contest, takings: int = 400) -> bool:
    contest.refresh_from_db()
    return (
        contest.state == Contest.State.CLOSED
        and not Settlement.objects.exists()
        and not Prize.objects.exists()
        and not Transfer.objects.filter(kind="lototrot.pool").exists()
        and rounds.balances(contest)["takings"] == takings
    )

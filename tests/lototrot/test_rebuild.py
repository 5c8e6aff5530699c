"""`ledger_rebuild`: every balance again from tickets, voids and results (rulebook: ledger)."""

import uuid
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from core.ledger import services as ledger
from core.ledger.books import Books, Difference, differences
from core.staff import two_persons
from lototrot import accounts
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from lototrot.models.tickets import Void
from lototrot.services.settlement.breach import breach_block, breach_void
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle
from lototrot.services.tickets.annulment import void_reference
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.factories import Point

RULES = rounds.rules(**rounds.TWO_LEGS)
FACTS = [Race((1, 2, 3), winners=frozenset({1}))] * 2
TICKETS = [(1, 1), (1, 2), (2, 4)]


def run_contest(point: Point) -> Contest:
    new_contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(new_contest, point, TICKETS)
    rounds.run(new_contest, FACTS)
    return new_contest


def confirmed(proposal: uuid.UUID) -> None:
    two_persons.confirm(proposal=proposal, by=factories.two_organisers()[0])


def test_money_at_every_stage_is_what_happened(point: Point) -> None:
    """On sale, with an error given back, with a breach voided, settled, ordered, one blocked."""
    new_contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    sold = rounds.sell(new_contest, point, TICKETS)
    rounds.books_agree()
    Void.objects.create(
        ticket=sold[0], reason="error", note="", voided_at=sold[0].sold_at, operator=point.operator
    )
    back = ledger.Line(
        "lototrot.annulment",
        ledger.liability(new_contest.takings_account.code),
        ledger.premises_account(point.premises.pk),
        sold[0].amount_cents,
    )
    ledger.post(reference=void_reference(sold[0].uuid), lines=[back])
    rounds.books_agree()
    elsewhere = factories.point(factories.premises(authorised=()))
    rounds.sell(new_contest, elsewhere, [(1, 1), (1, 1)])
    rounds.run(new_contest, FACTS)
    by, _ = factories.two_organisers()
    confirmed(breach_void(by=by, contest_id=new_contest.pk).uuid)
    rounds.books_agree()
    assert ledger.balance_cents(accounts.refunds_due(new_contest.pk)) == 200
    contest_settle(contest_id=new_contest.pk)
    rounds.books_agree()
    confirmed(payment_order_propose(by=by, contest_id=new_contest.pk).uuid)
    rounds.books_agree()


@pytest.mark.article("14.I.6")
def test_a_prize_blocked_after_the_order_is_held(point: Point) -> None:
    new_contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(new_contest, point, TICKETS)
    suspect = factories.point()
    rounds.sell(new_contest, suspect, [(1, 1), (2, 2)])
    rounds.run(new_contest, FACTS)
    by, _ = factories.two_organisers()
    contest_settle(contest_id=new_contest.pk)
    confirmed(payment_order_propose(by=by, contest_id=new_contest.pk).uuid)
    type(suspect.terminal).objects.filter(pk=suspect.terminal.pk).update(
        revoked_at=new_contest.opened_at
    )
    confirmed(breach_block(by=by, contest_id=new_contest.pk).uuid)
    assert ledger.balance_cents(accounts.held(new_contest.pk)) > 0
    rounds.books_agree()


@pytest.mark.parametrize("account", ["takings", "prizes", "unknown", "premises"])
def test_a_cent_moved_without_a_reason_is_named(point: Point, account: str) -> None:
    contest = run_contest(point)
    contest_settle(contest_id=contest.pk)
    moved = {
        "takings": ledger.liability(contest.takings_account.code),
        "prizes": accounts.prizes_payable(contest.pk),
        "unknown": ledger.liability("nobody:knows"),
        "premises": ledger.premises_account(point.premises.pk),
    }[account]
    fund = accounts.reserve(RULES.code)
    ledger.post(reference=uuid.uuid4(), lines=[ledger.Line("test", fund, moved, 1)])
    _, account_differences = differences()
    held = ledger.balance_cents(moved)
    off = 1 if moved.side == "credit" else -1
    assert Difference(moved.code, held, held - off) in account_differences
    assert {each.account for each in account_differences} == {moved.code, fund.code}


def test_books_add_up_both_sides() -> None:
    books = Books()
    asset, debt = ledger.asset("a"), ledger.liability("b")
    books.move([ledger.Line("x", asset, debt, 5), ledger.Line("x", debt, asset, 2)])
    assert (books.cents(asset), books.cents(debt)) == (3, 3)


def test_the_command_prints_what_differs_and_fails(own_database: Database) -> None:
    factories.time_to(rounds.NOON)
    contest = run_contest(factories.point())
    contest_settle(contest_id=contest.pk)
    out = StringIO()
    call_command("ledger_rebuild", stdout=out)
    assert out.getvalue().endswith("none differs.\n")
    lost = ledger.Line("test", accounts.reserve(RULES.code), accounts.jackpot(RULES.code), 7)
    ledger.post(reference=uuid.uuid4(), lines=[lost])
    out = StringIO()
    with pytest.raises(CommandError, match="2 of"):
        call_command("ledger_rebuild", stdout=out)
    assert out.getvalue().splitlines() == [
        "lototrot:two-legs:jackpot: the ledger has 7 cents, rebuilt 0",
        "lototrot:two-legs:reserve: the ledger has -7 cents, rebuilt 0",
    ]

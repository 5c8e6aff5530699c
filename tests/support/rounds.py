"""Bring a contest to its settlement for tests: rules, sales in bulk, results, checks.

Tickets and their transfers are inserted directly, with the rights of the application's role.
"""

import hashlib
import secrets
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from math import prod
from typing import Any

from core.database import clock
from core.kernel.codes import DIGEST_BYTES
from core.ledger import services as ledger
from core.ledger.books import differences
from core.ledger.models import Transfer
from core.ledger.selectors import trial_balance
from core.staff import two_persons
from core.staff.powers import Role
from lototrot import accounts
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.bet_type import shipped
from lototrot.engine.races import Outcome, mask_of
from lototrot.engine.races import Race as Facts
from lototrot.models.contest import BetType, Contest, Publication
from lototrot.models.programme import Race
from lototrot.models.settlement import Prize, Settlement
from lototrot.models.tickets import LEG_COLUMNS, REQUEST_DIGEST_BYTES, Ticket
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories
from tests.support.factories import Point
from tests.support.factories.batches import one_transaction
from tests.support.factories.request_uuids import uuid_at

Masks = Sequence[int]
NOON = datetime(2030, 3, 2, 11, tzinfo=UTC)
"""Noon in Madrid: a meeting that starts in some hours is of the same day, whenever tests run."""

TWO_LEGS = {
    "code": "two-legs",
    "legs": 2,
    "shares_below": {"2": 60, "1": 40},
    "shares_above": {"2": 50, "1": 40, "reserve": 10},
}


def rules(**changes: Any) -> Rules:
    """Return Lototrot's rules with some fields of the document changed."""
    least = Fraction(60)
    document = shipped("lototrot", minimum_prize_percent=least).to_document() | changes
    return Rules.from_document(document, minimum_prize_percent=least)


def record(of: Rules) -> BetType:
    """Put the rules on record."""
    return factories.bet_type_of(of)


@one_transaction
def contest(
    of: Rules,
    programmes: Sequence[Sequence[int]],
    *,
    price_cents: int = 100,
    day: date | None = None,
) -> Contest:
    """Return a contest on sale: one race for each programme, the first in two hours."""
    now = clock.now()
    meeting = factories.meeting(races=0, day=day)
    course = factories.racecourse()
    races = [
        factories.race(
            meeting,
            number,
            now + timedelta(hours=2, minutes=30 * number),
            numbers=numbers,
            course=course,
        )
        for number, numbers in enumerate(programmes, start=1)
    ]
    new_contest: Contest = factories.contest(
        meeting, races=races, rules=record(of), price_cents=price_cents
    )
    return new_contest


@one_transaction
def sell(of: Contest, at: Point, tickets: Sequence[Masks]) -> list[Ticket]:
    """Insert tickets and their transfers, as that many sales would have left them."""
    now = clock.now()
    sold: list[Ticket] = Ticket.objects.bulk_create(
        Ticket(
            uuid=uuid_at(now),
            contest=of,
            premises=at.premises,
            terminal=at.terminal,
            operator=at.operator,
            sold_at=now,
            bets=prod(mask.bit_count() for mask in masks),
            amount_cents=prod(mask.bit_count() for mask in masks) * of.price_cents,
            code_digest=secrets.token_bytes(DIGEST_BYTES),
            code_commitment=secrets.token_bytes(32),
            request_digest=hashlib.sha256(repr(masks).encode()).digest()[:REQUEST_DIGEST_BYTES],
            **dict(zip(LEG_COLUMNS, masks, strict=False)),
        )
        for masks in tickets
    )
    sales_post(of, at, sold)
    return sold


def sales_post(of: Contest, at: Point, sold: Iterable[Ticket]) -> None:
    """Insert the transfers of tickets that one terminal sold."""
    place = ledger.premises_account(at.premises.pk)
    debit = ledger.account_open([place])[place.code]
    Transfer.objects.bulk_create(
        Transfer(
            reference=ticket.uuid,
            line=0,
            kind="lototrot.sale",
            debit=debit,
            credit=of.takings_account,
            amount_cents=ticket.amount_cents,
            at=ticket.sold_at,
        )
        for ticket in sold
    )


def run(of: Contest, facts: Sequence[Facts]) -> None:
    """Close the contest and put the outcome of its races on record."""
    races = factories.races_of(of)
    for race, fact in zip(races, facts, strict=True):
        for number in sorted(fact.withdrawn):
            factories.withdrawal(race, number)
    factories.contest_closed(of)
    for race, fact in zip(races, facts, strict=True):
        if fact.outcome is Outcome.RUN:
            left = dict.fromkeys(fact.left, "Refused the start")
            factories.classified(race, fact.winners, left=left, disqualified=fact.disqualified)
            continue
        if fact.outcome is not Outcome.NOT_RUN:
            factories.started(race)
        factories.declared(race, str(fact.outcome))
        (winner,) = fact.winners
        factories.drawn(race, winner)


_FIGURES = (
    "tickets",
    "bets",
    "winning_tickets",
    "takings_cents",
    "jackpot_in_cents",
    "reserve_in_cents",
    "lapsed_in_cents",
    "prizes_cents",
    "jackpot_out_cents",
    "reserve_out_cents",
)


def bare_settlement(of: Contest) -> Settlement:
    """Write a settlement without the services."""
    return Settlement.objects.create(
        uuid=uuid.uuid4(),
        contest=of,
        number=of.settlements.count() + 1,
        rules={},
        races=[],
        figures={"winners": {"7": 0}},
        settled_at=clock.now(),
        **dict.fromkeys(_FIGURES, 0),
    )


def reclassify(race: Race, winners: Sequence[int]) -> None:
    """Replace the classification in force, as a correction would."""
    race.classifications.filter(in_force=True).update(in_force=False)
    factories.classified(race, winners)


def fund(account: ledger.AccountCode, cents: int) -> None:
    """Move money to an account from an account of the test."""
    before = ledger.asset("test:before")
    line = ledger.Line("test", before, account, cents)
    ledger.post(reference=uuid.uuid4(), lines=[line])


def masks(numbers: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the masks of a ticket from its numbers by race."""
    return tuple(mask_of(of_race) for of_race in numbers)


def prizes(of: Settlement) -> dict[int, tuple[list[int], int]]:
    """Return the winning bets by category and the prize of each ticket, by ticket id."""
    rows = Prize.objects.filter(settlement=of)
    return {row.ticket_id: (row.winning_bets, row.prize_cents) for row in rows}


def books_agree(*, expected: Mapping[str, int] | None = None) -> None:
    """Check that the trial balance is zero and that every rebuilt balance equals the ledger's.

    `expected` has the differences that the test itself made, by account.
    """
    assert trial_balance(by=factories.staff(Role.AUDITOR)).difference_cents == 0
    _, differing = differences()
    cents_apart = {apart.account: apart.ledger_cents - apart.rebuilt_cents for apart in differing}
    assert cents_apart == dict(expected or {})


def balances(of: Contest) -> dict[str, int]:
    """Return the balances that a settlement moves, by name."""
    code = of.bet_type_code
    return {
        "takings": ledger.balance_cents(ledger.liability(of.takings_account.code)),
        "prizes": ledger.balance_cents(accounts.prizes_payable(of.pk)),
        "lapsed": ledger.balance_cents(accounts.lapsed(of.pk)),
        "jackpot": ledger.balance_cents(accounts.jackpot(code)),
        "reserve": ledger.balance_cents(accounts.reserve(code)),
    }


def later(days: int) -> datetime:
    """Move simulated time to the same hour of a later day."""
    return factories.time_pass(days=days)


def settled(at: Point, tickets: Sequence[Masks] = ((1, 1), (1, 2), (2, 4))) -> Contest:
    """Return a settled contest of two legs, won by number 1: hits 2, 1 and 0 unless given."""
    new_contest = contest(rules(**TWO_LEGS), [(1, 2, 3)] * 2)
    sell(new_contest, at, tickets)
    run(new_contest, [Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    contest_settle(contest_id=new_contest.pk)
    new_contest.refresh_from_db()
    return new_contest


def order(of: Contest) -> None:
    """Settle the contest, and let two persons order its payment."""
    contest_settle(contest_id=of.pk)
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=of.pk)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    of.refresh_from_db()


def ordered(at: Point, tickets: Sequence[Masks] = ((1, 1), (1, 2), (2, 4))) -> Contest:
    """Return a contest as `settled` does, with its payment ordered by two persons."""
    contest = settled(at, tickets)
    order(contest)
    return contest


def published() -> Contest:
    """Return a contest of seven races on sale, whose rules are published, on a fixed day."""
    factories.time_to(NOON)
    new_contest = contest(rules(), [(1, 2, 3, 4, 5)] * 7)
    by = factories.staff(Role.ORGANISER)
    Publication.objects.create(
        contest=new_contest,
        rules={"ca": "Regles", "es": "Reglas", "en": "Rules"},
        prize_percent="60",
        published_at=clock.now(),
        published_by_id=by.user_id,
        published_in_id=by.session_id,
    )
    return new_contest

"""Counting in the database is the engine's counting, for every bet type and every ticket."""

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.hits import bets_by_hits, units
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Void
from lototrot.selectors.settlement.counting import (
    Counting,
    count,
    prizes_check,
    tickets_count,
    winning_tickets,
)
from lototrot.services.settlement.winners import prizes_insert, winners_count
from tests.support import factories, rounds
from tests.support.factories import Point

pytestmark = pytest.mark.django_db

SETTLEMENT = 1  # prize rows have no foreign key: the set check is what holds them
ALL_31 = 2**31 - 1


@pytest.fixture
def contest() -> Contest:
    return factories.contest(price_cents=50)


@pytest.fixture
def point() -> Point:
    return factories.point()


@pytest.fixture
def another() -> Contest:
    return factories.contest(kind="eight-races")


def bet_type(legs: int, categories: int) -> Rules:
    """Rules with so many races, whose categories go from all of them right downwards."""
    rest = {str(legs - place): 1 for place in range(1, categories)}
    shares = {str(legs): 101 - categories, **rest}
    return rounds.rules(code="any", legs=legs, shares_below=shares, shares_above=shares)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Rules, tuple[int, ...], list[tuple[int, ...]]]:
    """Rules, the right numbers of each race, and tickets of one bet and of several."""
    legs = draw(st.integers(2, 10))
    mask = st.integers(1, ALL_31) if legs <= 3 else st.integers(1, 31)
    one = st.integers(0, 30).map(lambda place: 1 << place)
    right = draw(st.tuples(*[one | mask] * legs))
    # Numbers that are right turn up often, or nothing would be won.
    marks = [one | mask | st.just(r) | st.just(r & -r) for r in right]
    tickets = draw(st.lists(st.tuples(*marks), max_size=12))
    tickets = [t for t in tickets if sum(bets_by_hits(t, right)) < 2**31]
    return bet_type(legs, draw(st.integers(1, legs))), right, tickets


@pytest.mark.article("14.III.7")
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(case=cases())
def test_the_database_counts_as_the_engine(
    contest: Contest,
    point: Point,
    case: tuple[Rules, tuple[int, ...], list[tuple[int, ...]]],
) -> None:
    rules, right, tickets = case
    counting = Counting(contest.pk, right, rules)
    prize_each = {hits: 7**place + place for place, hits in enumerate(rules.categories)}
    expected = [units(bets_by_hits(ticket, right), rules) for ticket in tickets]
    with transaction.atomic():
        sold = rounds.sell(contest, point, tickets)
        tally, winners = winners_count(counting)
        recounted = count(counting)
        prizes_insert(counting, winners, settlement_id=SETTLEMENT, prize_each=prize_each)
        stored = prizes_check(counting, settlement_id=SETTLEMENT, prize_each=prize_each)
        rows = {p.ticket_id: (p.winning_bets, p.prize_cents) for p in Prize.objects.all()}
        transaction.set_rollback(True)
    assert tally == recounted
    assert tally.tickets == len(tickets)
    assert tally.bets == sum(sum(bets_by_hits(ticket, right)) for ticket in tickets)
    assert tally.takings_cents == 50 * tally.bets
    assert tally.winners == {h: sum(won[h] for won in expected) for h in rules.categories}
    assert rows == {
        ticket.pk: ([*won.values()], sum(prize_each[hits] * won[hits] for hits in won))
        for ticket, won in zip(sold, expected, strict=True)
        if any(won.values())
    }
    assert stored.rows == stored.right_rows == tally.winning_tickets == len(rows)
    assert stored.winners == tally.winners
    assert stored.prizes_cents == sum(cents for _, cents in rows.values())


RIGHT = (1, 1, 1, 1, 1, 1, 1)
PRIZES = {7: 1000, 6: 100, 5: 10, 4: 1}


def counted(contest: Contest, right: Sequence[int] = RIGHT) -> Counting:
    return Counting(contest.pk, tuple(right), rounds.rules())


def test_a_void_ticket_and_another_contest_do_not_count(contest: Contest, point: Point) -> None:
    voided, stays = rounds.sell(contest, point, [(3, *RIGHT[1:]), RIGHT])
    rounds.sell(factories.contest(kind="eight-races"), point, [(1,) * 8])
    Void.objects.create(
        ticket=voided, reason="error", note="", voided_at=voided.sold_at, operator=point.operator
    )
    counting = counted(contest)
    tally, winners = winners_count(counting)
    prizes_insert(counting, winners, settlement_id=SETTLEMENT, prize_each=PRIZES)
    assert (tally.tickets, tally.bets, tally.winners[7]) == (1, 1, 1)
    assert [prize.ticket_id for prize in Prize.objects.all()] == [stays.pk]


def test_a_contest_without_tickets_counts_nothing(contest: Contest) -> None:
    counting = counted(contest)
    tally, winners = winners_count(counting)
    prizes_insert(counting, winners, settlement_id=SETTLEMENT, prize_each=PRIZES)
    assert (tally.tickets, tally.bets, tally.takings_cents, tally.winning_tickets) == (0, 0, 0, 0)
    assert not any(tally.winners.values())
    assert prizes_check(counting, settlement_id=SETTLEMENT, prize_each=PRIZES).rows == 0


def test_every_race_needs_its_right_numbers(contest: Contest) -> None:
    with pytest.raises(ValueError, match="for each leg"):
        counted(contest, RIGHT[1:])


@pytest.mark.parametrize(
    "row",
    [
        {"winning_bets": [1, 0, 0, 0], "prize_cents": 999},
        {"winning_bets": [0, 0, 0, 0], "prize_cents": 0},
        {"winning_bets": [2, 0, 0, 0], "prize_cents": 2000},
    ],
    ids=["another prize", "no winning bet", "more bets than sold"],
)
def test_a_row_wrong_in_itself_is_not_right(
    contest: Contest, point: Point, row: dict[str, object]
) -> None:
    (ticket,) = rounds.sell(contest, point, [RIGHT])
    Prize.objects.create(settlement_id=SETTLEMENT, ticket=ticket, **row)
    stored = prizes_check(counted(contest), settlement_id=SETTLEMENT, prize_each=PRIZES)
    assert (stored.rows, stored.right_rows) == (1, 0)


def test_a_row_of_a_ticket_that_cannot_win_is_not_right(contest: Contest, point: Point) -> None:
    loses, voided = rounds.sell(contest, point, [(2,) * 7, RIGHT])
    (foreign,) = rounds.sell(factories.contest(kind="eight-races"), point, [(1,) * 8])
    Void.objects.create(
        ticket=voided, reason="error", note="", voided_at=voided.sold_at, operator=point.operator
    )
    Prize.objects.bulk_create(
        Prize(settlement_id=SETTLEMENT, ticket_id=pk, winning_bets=[1, 0, 0, 0], prize_cents=1000)
        for pk in (loses.pk, voided.pk, foreign.pk, foreign.pk + 1)
    )
    stored = prizes_check(counted(contest), settlement_id=SETTLEMENT, prize_each=PRIZES)
    assert (stored.rows, stored.right_rows) == (4, 0)


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, int]:
    """Draw a change of a prize row between its writing and the check, and the place of the row."""
    kinds = ["a cent more", "a bet in another category", "another ticket", "no ticket", "lost"]
    return draw(st.sampled_from(kinds)), draw(st.integers(0, 20))


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(case=cases(), change=changes())
def test_a_row_changed_between_writing_and_the_check_is_found(
    contest: Contest,
    another: Contest,
    point: Point,
    case: tuple[Rules, tuple[int, ...], list[tuple[int, ...]]],
    change: tuple[str, int],
) -> None:
    rules, right, tickets = case
    counting = Counting(contest.pk, right, rules)
    prize_each = {hits: 7**place + place for place, hits in enumerate(rules.categories)}
    with transaction.atomic():
        rounds.sell(contest, point, [*tickets, tuple(mask & -mask for mask in right)])
        (foreign,) = rounds.sell(another, point, [(1,) * 8])
        tally, winners = winners_count(counting)
        prizes_insert(counting, winners, settlement_id=SETTLEMENT, prize_each=prize_each)
        rows = list(Prize.objects.order_by("ticket_id"))
        kind, place = change
        row = rows[place % len(rows)]
        if kind == "a cent more":
            row.prize_cents += 1
        elif kind == "a bet in another category":
            row.winning_bets = [*row.winning_bets[1:], row.winning_bets[0] + 1]
        else:
            row.ticket_id = foreign.pk if kind == "another ticket" else foreign.pk + 1
        # The application may not change a row: it is written for the next settlement, with others.
        kept = [each for each in rows if kind != "lost" or each is not row]
        Prize.objects.bulk_create(
            Prize(
                settlement_id=SETTLEMENT + 1,
                ticket_id=each.ticket_id,
                winning_bets=each.winning_bets,
                prize_cents=each.prize_cents,
            )
            for each in kept
        )
        stored = prizes_check(counting, settlement_id=SETTLEMENT + 1, prize_each=prize_each)
        transaction.set_rollback(True)
    right_sums = (tally.winning_tickets, tally.winning_tickets, tally.winners)
    assert (stored.rows, stored.right_rows, stored.winners) != right_sums


def plans(contest: Contest, point: Point) -> list[list[str]]:
    """Return the plans of the count (two), the winning tickets and the check, in one process."""
    rounds.sell(contest, point, [(3, *RIGHT[1:])])
    counting = counted(contest)
    statements: list[tuple[str, object]] = []

    def note(execute: Any, statement: str, parameters: Any, many: bool, context: Any) -> Any:
        statements.append((statement, parameters))
        return execute(statement, parameters, many, context)

    with connection.execute_wrapper(note):
        count(counting)
        prizes_check(counting, settlement_id=SETTLEMENT, prize_each=PRIZES)
    copied = winning_tickets(counting, tickets_count(counting))
    statements[2:2] = [(query, [contest.pk]) for query in copied]
    all_plans = []
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL max_parallel_workers_per_gather = 0")
        for statement, parameters in statements:
            cursor.execute(f"EXPLAIN (VERBOSE) {statement}", parameters)
            all_plans.append([line for (line,) in cursor.fetchall()])
    return all_plans


def test_no_leg_is_counted_twice_for_a_ticket(contest: Contest, point: Point) -> None:
    _, multiples, winners, _ = plans(contest, point)
    for plan in (multiples, winners):
        assert sum(line.count("bit_count") for line in plan) == 2 * len(RIGHT)


def test_the_check_joins_two_sets_and_looks_up_no_ticket_for_a_row(
    contest: Contest, point: Point
) -> None:
    *_, check = plans(contest, point)
    joins = [line for line in check if "Full Join" in line]
    assert len(joins) == 1
    assert "Nested Loop" not in joins[0]

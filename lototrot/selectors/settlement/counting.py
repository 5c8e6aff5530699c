"""Count the hits of every ticket of a contest in the database, set by set (14.III.7) [B10].

The SQL is composed from the legs and categories of the bet type. A ticket with a right and b wrong
numbers in a leg adds the factor (a + b y) to a polynomial. The coefficient of y^k is the number of
its bets with k legs wrong (`lototrot.engine.hits`). Only the powers that the lowest category allows
are kept, and only for tickets with a right number in enough legs to win.

PostgreSQL inlines nested subqueries and computes their expressions repeatedly. Each level of the
multiplication therefore has the column `APART`, which keeps it from being inlined. `OFFSET 0` would
do that too, but then parallel workers could not multiply (ADR 58).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from core.database.reading.asking import fetch_all, fetch_row
from lototrot.engine.bet_type import BetType
from lototrot.selectors.retired import Left, stays

APART = "pg_is_in_recovery() AS apart"
"""A column for which a subquery is not inlined, because the function is volatile. Nobody reads its
value. The function is safe in parallel workers and only reads a variable of the server."""


@dataclass(frozen=True, slots=True)
class Counting:
    """The input of a count: a contest, the right numbers of each leg, and the bet type.

    `left` are the sums of the tickets that left with a retired month. Then only the tickets that
    stay are read, and these sums are added.
    """

    contest_id: int
    right_masks: tuple[int, ...]
    bet_type: BetType
    left: Left | None = None

    def __post_init__(self) -> None:
        if len(self.right_masks) != self.bet_type.legs:
            raise ValueError("a mask of right numbers is needed for each leg")


@dataclass(frozen=True, slots=True)
class Tickets:
    """The tickets of a contest that are not void. `multiples` of them have several bets."""

    tickets: int
    multiples: int
    bets: int
    takings_cents: int


@dataclass(frozen=True, slots=True)
class Totals(Tickets):
    """The tickets that did not leave, and the number of those of one bet by their hits."""

    singles: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Tally(Tickets):
    """The result of a count: all tickets, the number of those that win, and winning bets by
    category.
    """

    winning_tickets: int
    winners: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class StoredPrizes:
    """The prize rows of a settlement, and how many of them are right.

    The ticket of a right row belongs to the contest, is not void, and has a right number in enough
    legs to win. It has at least one winning bet, and its prize is the sum of the prizes of its
    bets.
    """

    rows: int
    right_rows: int
    prizes_cents: int
    winners: Mapping[int, int]


def count(counting: Counting) -> Tally:
    """Count the contest. The database returns at most one row per number of hits."""
    totals = tickets_count(counting)
    winners = {hits: totals.singles.get(hits, 0) for hits in counting.bet_type.categories}
    winning_tickets = sum(winners.values())
    if totals.multiples:
        sums = ", ".join(f"coalesce(sum({w}), 0)::bigint" for w in _wins(counting))
        winning_multiples, *by_category = fetch_row(
            f"SELECT count(*), {sums} FROM ({_multiples(counting)}) t", [counting.contest_id]
        )
        winning_tickets += winning_multiples
        for hits, bets in zip(counting.bet_type.categories, by_category, strict=True):
            winners[hits] += bets
    return tally_of(counting, totals, winning_tickets, winners)


def tickets_sum(counting: Counting) -> Tickets:
    """Count and add up the tickets of the contest that did not leave."""
    return Tickets(
        *fetch_row(
            "SELECT count(*), count(*) FILTER (WHERE bets > 1), coalesce(sum(bets), 0)::bigint,"
            " coalesce(sum(amount_cents), 0)::bigint"
            f" FROM lototrot_ticket k WHERE {_counted(counting)}",
            [counting.contest_id],
        )
    )


def tickets_count(counting: Counting) -> Totals:
    """Count the tickets of the contest, and the hits of those of one bet."""
    # The hits of a ticket of one bet are its legs with a right number: it needs no polynomial.
    rows = fetch_all(
        "SELECT CASE WHEN bets = 1 THEN touched END, count(*), sum(bets)::bigint,"
        f" sum(amount_cents)::bigint FROM ({_tickets(counting)}) t GROUP BY 1",
        [counting.contest_id],
    )
    return Totals(
        tickets=sum(row[1] for row in rows),
        multiples=sum(row[1] for row in rows if row[0] is None),
        bets=sum(row[2] for row in rows),
        takings_cents=sum(row[3] for row in rows),
        singles={row[0]: row[1] for row in rows if row[0] is not None},
    )


def tally_of(
    counting: Counting, totals: Tickets, winning_tickets: int, winners: Mapping[int, int]
) -> Tally:
    """Return the tally of what was counted, with the sums of what left."""
    left = counting.left or Left(0, 0, 0)
    left_bets = zip_longest(counting.bet_type.categories, left.winning_bets, fillvalue=0)
    return Tally(
        tickets=totals.tickets + left.tickets,
        multiples=totals.multiples,
        bets=totals.bets + left.bets,
        takings_cents=totals.takings_cents + left.amount_cents,
        winning_tickets=winning_tickets + left.winning_tickets,
        winners={hits: winners[hits] + bets for hits, bets in left_bets},
    )


def winning_tickets(counting: Counting, totals: Tickets) -> list[str]:
    """Return queries for all winning tickets, as (bets of each category, highest first, ..., ids).

    A row has the ids of all tickets with those winning bets, eight bytes each, in no order. Each
    query needs the contest's id as its parameter.
    """
    queries = []
    if totals.multiples:
        wins = [f"{w}::integer" for w in _wins(counting)]
        queries.append(_ids_by(wins, _multiples(counting)))
    if totals.multiples < totals.tickets:
        wins = [f"(touched = {hits})::integer" for hits in counting.bet_type.categories]
        queries.append(_ids_by(wins, _winning(counting, "bets = 1")))
    return queries


def _ids_by(columns: Sequence[str], query: str) -> str:
    """Return the SQL for the ids of a query's tickets, by columns."""
    by = ", ".join(str(number) for number in range(1, len(columns) + 1))
    return (
        f"SELECT {', '.join(columns)}, string_agg(int8send(id), '') FROM ({query}) t GROUP BY {by}"
    )


def prizes_check(
    counting: Counting, *, settlement_id: int, prize_each: Mapping[int, int]
) -> StoredPrizes:
    """Read the prize rows of a settlement as a set, and compare them with the tickets.

    Of prizes that left with a retired month the sums are compared with the prize of each bet: all
    of them are right, or none.
    """
    rows, right_rows, cents, *by_category = fetch_row(
        _prizes(counting, prize_each), [settlement_id, counting.contest_id]
    )
    winners = dict(zip(counting.bet_type.categories, by_category, strict=True))
    left = counting.left
    if left and left.winning_tickets:
        left_bets = dict(zip(winners, left.winning_bets, strict=True))
        worth = sum(bets * prize_each.get(hits, 0) for hits, bets in left_bets.items())
        rows, cents = rows + left.winning_tickets, cents + left.prize_cents
        right_rows += left.winning_tickets if worth == left.prize_cents else 0
        winners = {hits: winners[hits] + bets for hits, bets in left_bets.items()}
    return StoredPrizes(rows, right_rows, cents, winners)


def _prizes(counting: Counting, prize_each: Mapping[int, int]) -> str:
    """Return the SQL for the sums of a settlement's prize rows, joined with its contest's tickets.

    The join is full, because PostgreSQL cannot know how many rows were just written. It expects a
    few, and would look up the ticket of each row by index. It makes a full join only of two sets.
    """
    categories, wins = counting.bet_type.categories, _wins(counting)
    columns = ", ".join(f"winning_bets[{at}] AS {win}" for at, win in enumerate(wins, start=1))
    prizes = (
        f"SELECT {APART}, ticket_id, prize_cents, {columns} FROM lototrot_prize r"
        f" WHERE r.settlement_id = %s{_and_stays(counting, 'r.ticket_id')}"
    )
    tickets = (
        "SELECT k.id, k.bets FROM lototrot_ticket k"
        f" WHERE {_counted(counting)} AND {_touched(counting)} >= {categories[-1]}"
    )
    winning = " + ".join(f"p.{win}::bigint" for win in wins)
    worth = " + ".join(
        f"p.{win} * {int(prize_each.get(hits, 0))}::bigint"
        for win, hits in zip(wins, categories, strict=True)
    )
    sums = ", ".join(f"coalesce(sum(p.{win}), 0)::bigint" for win in wins)
    right = f"{winning} BETWEEN 1 AND t.bets AND p.prize_cents = {worth}"
    return (
        f"SELECT count(p.ticket_id), count(*) FILTER (WHERE {right}),"
        f" coalesce(sum(p.prize_cents), 0)::bigint, {sums}"
        f" FROM ({prizes}) p FULL JOIN ({tickets}) t ON t.id = p.ticket_id"
    )


def _counted(counting: Counting) -> str:
    """Return the SQL condition that ticket `k` is of the contest (a parameter) and is not void."""
    return (
        "k.contest_id = %s AND NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = k.id)"
    ) + _and_stays(counting, "k.id")


def _and_stays(counting: Counting, ticket: str) -> str:
    """Return the SQL condition that a ticket stays, where tickets of the contest left."""
    return f" AND {stays(ticket)}" if counting.left else ""


def _touched(counting: Counting) -> str:
    """Return the SQL for the number of legs of `k` with a right number: hits of its best bet."""
    return (
        "("
        + " + ".join(
            f"((k.leg_{leg} & {int(mask)}) <> 0)::integer"
            for leg, mask in enumerate(counting.right_masks, start=1)
        )
        + ")"
    )


def _tickets(counting: Counting) -> str:
    return (
        f"SELECT bets, amount_cents, {_touched(counting)} AS touched"
        f" FROM lototrot_ticket k WHERE {_counted(counting)}"
    )


def _winning(counting: Counting, which: str, columns: Sequence[str] = ()) -> str:
    """Return the SQL for tickets with a right number in enough legs for the lowest category."""
    touched = _touched(counting)
    chosen = ", ".join([APART, "id", f"{touched} AS touched", *columns])
    lowest = counting.bet_type.categories[-1]
    return (
        f"SELECT {chosen} FROM lototrot_ticket k"
        f" WHERE {which} AND {touched} >= {lowest} AND {_counted(counting)}"
    )


def _wins(counting: Counting) -> list[str]:
    """Return the columns of winning bets: those with no leg wrong, with one, and so on."""
    return [f"w{wrong}" for wrong in range(len(counting.bet_type.categories))]


def _multiples(counting: Counting) -> str:
    """Return the SQL for winning tickets of several bets, as (id, w0, w1, ...): bets by legs wrong.

    Factors are multiplied in pairs, level by level; each level is a query around the previous one.
    """
    most_wrong = len(counting.bet_type.categories) - 1
    level = []
    columns = []
    for leg, mask in enumerate(counting.right_masks, start=1):
        right, wrong = f"leg_{leg} & {int(mask)}", f"leg_{leg} & ~{int(mask)}"
        columns += [f"{_bits(right)} AS l0_{leg}_0", f"{_bits(wrong)} AS l0_{leg}_1"]
        level.append([f"l0_{leg}_0", f"l0_{leg}_1"])
    query = _winning(counting, "bets > 1", columns)
    depth = 0
    while len(level) > 1:
        depth += 1
        columns, products = [], []
        for pair, (left, right_) in enumerate(zip_longest(level[::2], level[1::2])):
            names = []
            for power, term in enumerate(_product(left, right_ or [], most_wrong)):
                columns.append(f"{term} AS l{depth}_{pair}_{power}")
                names.append(f"l{depth}_{pair}_{power}")
            products.append(names)
        query = f"SELECT {APART}, id, {', '.join(columns)} FROM ({query}) q{depth}"
        level = products
    wins = [f"{name} AS w{wrong}" for wrong, name in enumerate(level[0][: most_wrong + 1])]
    return f"SELECT id, {', '.join(wins)} FROM ({query}) q"


def _bits(expression: str) -> str:
    return f"bit_count(({expression})::bit(32))"


def _product(left: Sequence[str], right: Sequence[str], most: int) -> list[str]:
    """Return the coefficients of a product up to the power `most`.

    An empty `right` returns `left`.
    """
    if not right:
        return list(left)
    powers = range(min(len(left) + len(right) - 2, most) + 1)
    return [
        " + ".join(
            f"{left[i]} * {right[power - i]}"
            for i in range(len(left))
            if 0 <= power - i < len(right)
        )
        for power in powers
    ]

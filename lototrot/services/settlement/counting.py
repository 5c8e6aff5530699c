"""Hits of every ticket of a contest, counted by the database, set by set (14.III.7) [B10].

The SQL is composed from the legs and categories of the bet type. A ticket with a right and b wrong
numbers in a race adds the factor (a + b y) to a polynomial in which the coefficient of y^k is its
bets with k races wrong (`lototrot.engine.hits`); only as many powers are kept as the lowest
category allows, and only for tickets with a right number in enough races to win anything.

PostgreSQL would put nested expressions into each other and compute them again and again: every
level of the multiplication ends in `OFFSET 0`, which keeps it whole. Where nothing is computed
twice there is none, for it also keeps processes from sharing a sum.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from django.db import connection

from lototrot.engine.bet_type import BetType


@dataclass(frozen=True, slots=True)
class Counting:
    """What to count: a contest, the numbers right in each race, and the bet type's categories."""

    contest_id: int
    right_masks: tuple[int, ...]
    bet_type: BetType

    def __post_init__(self) -> None:
        if len(self.right_masks) != self.bet_type.legs:
            raise ValueError("a mask of right numbers is needed for each race")


@dataclass(frozen=True, slots=True)
class Tally:
    """A contest counted: its tickets that are not void, and its winning bets by category.

    `multiples` are the tickets of several bets.
    """

    tickets: int
    multiples: int
    bets: int
    takings_cents: int
    winning_tickets: int
    winners: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class StoredPrizes:
    """The prize rows of a settlement, and those among them that are right in themselves.

    A right row's ticket is of the contest, not void, and has enough races with a right number to
    win; it wins a bet at least, and its prize is that of its bets.
    """

    rows: int
    right_rows: int
    prizes_cents: int
    winners: Mapping[int, int]


def count(counting: Counting) -> Tally:
    """Count the contest. The answer has one row per category at most, whatever was sold."""
    # Where one bet is all a ticket has, its races with a right number are its hits: no polynomial.
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT CASE WHEN bets = 1 THEN touched END, count(*), sum(bets)::bigint,"
            f" sum(amount_cents)::bigint FROM ({_tickets(counting)}) t GROUP BY 1",
            [counting.contest_id],
        )
        rows = cursor.fetchall()
        singles = {row[0]: row[1] for row in rows if row[0] is not None}
        winners = {hits: singles.get(hits, 0) for hits in counting.bet_type.categories}
        winning_tickets = sum(winners.values())
        multiples = sum(row[1] for row in rows if row[0] is None)
        if multiples:
            sums = ", ".join(f"coalesce(sum({w}), 0)::bigint" for w in _wins(counting))
            cursor.execute(
                f"SELECT count(*), {sums} FROM ({_multiples(counting)}) t", [counting.contest_id]
            )
            found, *by_category = cursor.fetchone()
            winning_tickets += found
            for hits, bets in zip(counting.bet_type.categories, by_category, strict=True):
                winners[hits] += bets
    return Tally(
        tickets=sum(row[1] for row in rows),
        multiples=multiples,
        bets=sum(row[2] for row in rows),
        takings_cents=sum(row[3] for row in rows),
        winning_tickets=winning_tickets,
        winners=winners,
    )


def prizes_insert(
    counting: Counting, tally: Tally, *, settlement_id: int, prize_each: Mapping[int, int]
) -> None:
    """Store a prize row for every winning ticket. `prize_each` is in cents, by category."""
    wins = _wins(counting)
    each = [prize_each.get(hits, 0) for hits in counting.bet_type.categories]
    total = " + ".join(f"{w} * {int(cents)}::bigint" for w, cents in zip(wins, each, strict=True))
    insert = (
        "INSERT INTO lototrot_prize (settlement_id, ticket_id, winning_bets, prize_cents)"
        " SELECT %s, id,"
    )
    statements = []
    if tally.multiples:
        statements.append(
            f"{insert} ARRAY[{', '.join(wins)}]::integer[], {total} FROM ({_multiples(counting)}) t"
        )
    if tally.multiples < tally.tickets:
        statements.append(
            f"{insert} {_by_hits(counting, _unit_arrays(counting), 'integer[]')},"
            f" {_by_hits(counting, each, 'bigint')} FROM ({_winning(counting, 'bets = 1')}) t"
        )
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement, [settlement_id, counting.contest_id])


def prizes_check(
    counting: Counting, *, settlement_id: int, prize_each: Mapping[int, int]
) -> StoredPrizes:
    """Read the prize rows of a settlement back, as a set, and hold them against the tickets."""
    categories = counting.bet_type.categories
    places = range(1, len(categories) + 1)
    prize = " + ".join(
        f"p.winning_bets[{place}] * {int(prize_each.get(hits, 0))}::bigint"
        for place, hits in zip(places, categories, strict=True)
    )
    winning = " + ".join(f"p.winning_bets[{place}]::bigint" for place in places)
    sums = ", ".join(f"coalesce(sum(p.winning_bets[{place}]), 0)::bigint" for place in places)
    right = f"{winning} BETWEEN 1 AND t.bets AND p.prize_cents = {prize}"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*), count(*) FILTER (WHERE {right}),"
            f" coalesce(sum(p.prize_cents), 0)::bigint, {sums}"
            f" FROM lototrot_prize p LEFT JOIN lototrot_ticket t ON t.id = p.ticket_id"
            f" AND {_counted('t')} AND {_touched(counting, 't')} >= {categories[-1]}"
            f" WHERE p.settlement_id = %s",
            [counting.contest_id, settlement_id],
        )
        rows, right_rows, cents, *by_category = cursor.fetchone()
    return StoredPrizes(rows, right_rows, cents, dict(zip(categories, by_category, strict=True)))


def _counted(alias: str) -> str:
    """Whether a ticket counts: it is of the contest (a parameter) and not void."""
    return (
        f"{alias}.contest_id = %s AND NOT EXISTS"
        f" (SELECT FROM lototrot_void v WHERE v.ticket_id = {alias}.id)"
    )


def _touched(counting: Counting, alias: str) -> str:
    """In how many races a ticket has a right number: the most its best bet can have right."""
    return (
        "("
        + " + ".join(
            f"(({alias}.leg_{leg} & {int(mask)}) <> 0)::integer"
            for leg, mask in enumerate(counting.right_masks, start=1)
        )
        + ")"
    )


def _tickets(counting: Counting) -> str:
    return (
        f"SELECT bets, amount_cents, {_touched(counting, 'k')} AS touched"
        f" FROM lototrot_ticket k WHERE {_counted('k')}"
    )


def _winning(counting: Counting, which: str, columns: Sequence[str] = ()) -> str:
    """The tickets that win something: a right number in as many races as the lowest category."""
    touched = _touched(counting, "k")
    wanted = ", ".join(["id", f"{touched} AS touched", *columns])
    lowest = counting.bet_type.categories[-1]
    return (
        f"SELECT {wanted} FROM lototrot_ticket k"
        f" WHERE {which} AND {touched} >= {lowest} AND {_counted('k')} OFFSET 0"
    )


def _wins(counting: Counting) -> list[str]:
    """The columns of `_multiples`: bets with no race wrong, with one, and so on."""
    return [f"w{wrong}" for wrong in range(len(counting.bet_type.categories))]


def _multiples(counting: Counting) -> str:
    """The winning tickets of several bets, as (id, w0, w1, ...): winning bets by races wrong.

    Factors are multiplied in pairs, level by level, each level a query around the one before.
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
        for place, (left, right_) in enumerate(zip_longest(level[::2], level[1::2])):
            names = []
            for power, term in enumerate(_product(left, right_ or [], most_wrong)):
                columns.append(f"{term} AS l{depth}_{place}_{power}")
                names.append(f"l{depth}_{place}_{power}")
            products.append(names)
        query = f"SELECT id, {', '.join(columns)} FROM ({query}) q{depth} OFFSET 0"
        level = products
    wins = [f"{name} AS w{wrong}" for wrong, name in enumerate(level[0][: most_wrong + 1])]
    return f"SELECT id, {', '.join(wins)} FROM ({query}) q"


def _bits(expression: str) -> str:
    return f"bit_count(({expression})::bit(32))"


def _product(left: Sequence[str], right: Sequence[str], most: int) -> list[str]:
    """The coefficients of a product up to the power `most`; without a right one, the left."""
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


def _unit_arrays(counting: Counting) -> list[str]:
    """The winning bets of a ticket of one bet, by category: a one among noughts."""
    many = len(counting.bet_type.categories)
    rows = [[int(i == place) for i in range(many)] for place in range(many)]
    return ["{" + ",".join(map(str, row)) + "}" for row in rows]


def _by_hits(counting: Counting, values: Sequence[object], kind: str) -> str:
    """The value of the category that `touched` races make."""
    pairs = zip(counting.bet_type.categories, values, strict=True)
    cases = " ".join(f"WHEN {hits} THEN '{value}'::{kind}" for hits, value in pairs)
    return f"CASE touched {cases} END"

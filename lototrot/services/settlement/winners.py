"""Read the winning tickets of a contest once: to count their bets, and to write their prizes.

Between the two stands the distribution, which needs the count. The tickets stay in memory
meanwhile, by what they won: there are few different numbers of winning bets by category. Parallel
workers of PostgreSQL compute and collect them (ADR 66). The prizes are sent in the binary format of
COPY (ADR 62).
"""

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db import connection

from core.database.binary_copy import rows_write
from core.database.reading.asking import fetch_all
from lototrot.selectors.settlement.counting import (
    Counting,
    Tally,
    Tickets,
    tally_of,
    tickets_sum,
    winning_tickets,
)

_PRIZES = """
COPY lototrot_prize (settlement_id, ticket_id, winning_bets, prize_cents)
FROM STDIN (FORMAT BINARY)
"""
_ID_BYTES = 8
_INTEGER_OID = 23


@dataclass(frozen=True, slots=True)
class Winners:
    """Winning tickets by their winning bets, highest category first: the ids, eight bytes each."""

    ids: Mapping[tuple[int, ...], bytes]

    def __len__(self) -> int:
        return sum(map(len, self.ids.values())) // _ID_BYTES

    def by_category(self, categories: tuple[int, ...]) -> dict[int, int]:
        """Return the winning bets of all tickets by the hits of each category."""
        tickets = [(won, len(ids) // _ID_BYTES) for won, ids in self.ids.items()]
        return {
            hits: sum(won[place] * count for won, count in tickets)
            for place, hits in enumerate(categories)
        }

    def in_order(self) -> Iterator[tuple[int, int]]:
        """Yield each ticket in the order of ids, as (id, the place of its winning bets in `ids`).

        An index takes rows in order fastest. Each ticket takes forty bytes meanwhile.
        """
        bits = len(self.ids).bit_length()
        which = (1 << bits) - 1
        for each in sorted(
            number << bits | place
            for place, ids in enumerate(self.ids.values())
            for (number,) in struct.iter_unpack("!q", ids)
        ):
            yield each >> bits, each & which


def winners_count(counting: Counting) -> tuple[Tally, Winners]:
    """Count the contest as `count` does, and return its winning tickets as well."""
    totals = tickets_sum(counting)
    winners = _read(counting, totals)
    categories = tuple(counting.bet_type.categories)
    tally = tally_of(counting, totals, len(winners), winners.by_category(categories))
    return tally, winners


def _read(counting: Counting, totals: Tickets) -> Winners:
    ids: dict[tuple[int, ...], bytes] = {}
    for query in winning_tickets(counting, totals):
        for *won, some in fetch_all(query, [counting.contest_id]):
            ids[tuple(won)] = ids.get(tuple(won), b"") + some
    return Winners(ids)


def prizes_insert(
    counting: Counting, winners: Winners, *, settlement_id: int, prize_each: Mapping[int, int]
) -> None:
    """Insert a prize row for every winning ticket. `prize_each` is in cents, by category.

    Raises django.db.IntegrityError if a ticket has a prize of that settlement already.
    """
    if not winners.ids:
        return
    cents = [prize_each.get(hits, 0) for hits in counting.bet_type.categories]
    with (
        connection.cursor() as cursor,
        connection.wrap_database_errors,
        cursor.copy(_PRIZES) as copy,
    ):
        rows_write(copy, _rows(winners, settlement_id, cents))


def _rows(winners: Winners, settlement_id: int, cents: list[int]) -> Iterator[bytes]:
    """Yield the prize rows. All tickets with the same winning bets have the same bytes after the
    id.
    """
    head = struct.pack("!hiqi", 4, 8, settlement_id, _ID_BYTES)
    rest = [
        _array(won)
        + struct.pack("!iq", 8, sum(bets * each for bets, each in zip(won, cents, strict=True)))
        for won in winners.ids
    ]
    for number, place in winners.in_order():
        yield head + number.to_bytes(_ID_BYTES) + rest[place]


def _array(values: tuple[int, ...]) -> bytes:
    """Return an array of integers as a field of a row: one dimension, its first index 1."""
    fields = b"".join(struct.pack("!ii", 4, value) for value in values)
    array_ = struct.pack("!iiiii", 1, 0, _INTEGER_OID, len(values), 1) + fields
    return struct.pack("!i", len(array_)) + array_

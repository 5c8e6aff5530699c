"""Read the winning tickets of a contest once: to count their bets, and to write their prizes.

Between the two stands the distribution, which needs the count. The tickets stay in memory
meanwhile, in twelve bytes each: there are few different numbers of winning bets by category.
PostgreSQL computes them in parallel workers, and sends and takes them in the binary format of COPY
(ADR 62).
"""

import struct
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from django.db import connection

from core.database.binary_copy import rows_of, rows_write
from lototrot.services.settlement.counting import (
    Counting,
    Tally,
    Totals,
    tally_of,
    tickets_count,
    winning_tickets,
)

_PRIZES = """
COPY lototrot_prize (settlement_id, ticket_id, winning_bets, prize_cents)
FROM STDIN (FORMAT BINARY)
"""
# A row has two bytes, the ticket's id, and the winning bets of each category; four bytes of length
# precede each.
_ID_BYTES = 8
_ID, _BETS = slice(6, 14), slice(14, None)
_INTEGER_OID = 23


@dataclass(frozen=True, slots=True)
class Winners:
    """Winning tickets: the id of each, eight bytes long, and which of `won` it has.

    `won` has different winning bets by category, highest first, each as (bets, ...).
    """

    ids: bytearray = field(default_factory=bytearray)
    which: "array[int]" = field(default_factory=lambda: array("I"))
    won: list[tuple[int, ...]] = field(default_factory=list)

    def by_category(self, categories: tuple[int, ...]) -> dict[int, int]:
        """Return the winning bets of all tickets by the hits of each category."""
        tickets = Counter(self.which)
        return {
            hits: sum(self.won[which][place] * count for which, count in tickets.items())
            for place, hits in enumerate(categories)
        }


def winners_count(counting: Counting) -> tuple[Tally, Winners]:
    """Count the contest as `count` does, and return its winning tickets as well."""
    totals = tickets_count(counting)
    winners = _read(counting, totals)
    categories = tuple(counting.bet_type.categories)
    tally = tally_of(counting, totals, len(winners.which), winners.by_category(categories))
    return tally, winners


def _read(counting: Counting, totals: Totals) -> Winners:
    winners = Winners()
    numbers: dict[bytes, int] = {}
    with connection.cursor() as cursor:
        for query in winning_tickets(counting, totals):
            statement = f"COPY ({query}) TO STDOUT (FORMAT BINARY)"
            with (
                connection.wrap_database_errors,
                cursor.copy(statement, [counting.contest_id]) as copy,
            ):
                for row in rows_of(copy):
                    winners.ids.extend(row[_ID])
                    winners.which.append(numbers.setdefault(row[_BETS], len(numbers)))
    bets = struct.Struct("!" + "4xi" * len(counting.bet_type.categories))
    winners.won.extend(bets.unpack(fields) for fields in numbers)
    return winners


def prizes_insert(
    counting: Counting, winners: Winners, *, settlement_id: int, prize_each: Mapping[int, int]
) -> None:
    """Insert a prize row for every winning ticket. `prize_each` is in cents, by category.

    Raises django.db.IntegrityError if a ticket has a prize of that settlement already.
    """
    if not winners.which:
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
        for won in winners.won
    ]
    for at, which in zip(range(0, len(winners.ids), _ID_BYTES), winners.which, strict=True):
        yield head + winners.ids[at : at + _ID_BYTES] + rest[which]


def _array(values: tuple[int, ...]) -> bytes:
    """Return an array of integers as a field of a row: one dimension, its first index 1."""
    fields = b"".join(struct.pack("!ii", 4, value) for value in values)
    array_ = struct.pack("!iiiii", 1, 0, _INTEGER_OID, len(values), 1) + fields
    return struct.pack("!i", len(array_)) + array_

"""Read the tickets of a contest from the database as the leaves of its seal, and hash them.

A leaf is a ticket's fields, each after its length in four bytes (docs/proofs/seals.md). PostgreSQL
writes a row in the same form in the binary format of COPY. So a leaf is the row as received, with
the codes of premises and terminal instead of their ids, and millions of rows are hashed without
being parsed. At most one block of tickets is in memory.
"""

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from django.db import connection

from core.database.binary_copy import rows_of
from core.database.reading.asking import fetch_row, fetch_value
from core.database.reading.numbers import NO_END
from core.kernel.errors import InvariantBroken
from core.proofs.merkle import BLOCK, LEAF
from lototrot.models.contest import Contest
from lototrot.models.tickets import LEG_COLUMNS, Ticket
from lototrot.services.seal import beside
from lototrot.services.seal.hashing import (
    REST,
    SELLER,
    Hashed,
    SellerUnknown,
    hash_rows,
    hashes,
    sellers,
    sized,
    started,
)

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)

BESIDE_FROM = 100_000
"""So many tickets take longer to hash than a process beside takes to begin."""

_TERMINAL = slice(6, 14)

_ROWS = """
COPY (SELECT terminal_id, premises_id, sold_at, bets, amount_cents, {legs}, code_commitment, id
        FROM lototrot_ticket t
       WHERE contest_id = %(contest)s AND id >= %(first)s AND id < %(below)s AND {sealed}
       ORDER BY id OFFSET %(skip)s LIMIT %(most)s) TO STDOUT (FORMAT BINARY)
"""
_ENDS = "SELECT min(id), max(id) FROM lototrot_ticket WHERE contest_id = %(contest)s"
_BELOW = """
SELECT count(*) FROM lototrot_ticket t
 WHERE contest_id = %(contest)s AND id < %(middle)s AND {sealed}
"""
# All tickets are sealed except those voided as errors, which happens only before closing [E4].
SEALED = "NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id AND v.reason = 'error')"


class LeafUnsound(InvariantBroken):
    code = "leaf_unsound"
    message = "A ticket's premises are not those of its terminal."


def leaf(ticket: Ticket) -> bytes:
    """Return one ticket's leaf, built field by field."""
    fields = [
        ticket.premises.code.encode(),
        ticket.terminal.code.encode(),
        struct.pack("!q", (ticket.sold_at - EPOCH) // timedelta(microseconds=1)),
        struct.pack("!i", ticket.bets),
        struct.pack("!q", ticket.amount_cents),
        *(struct.pack("!i", mask) for mask in ticket.legs()),
        bytes(ticket.code_commitment),
    ]
    return b"".join(map(sized, fields))


def hashed(contest: Contest) -> Hashed:
    """Return the blocks of the sealed tickets by id. Raise LeafUnsound.

    Many tickets are read and hashed in two parts side by side, the second by a process that reads
    the same snapshot. Where that process fails, this one hashes the second part, too.
    """
    try:
        middle = _middle(contest) if beside.possible() else None
        if middle is None:
            return _hashed(*_query(contest))
        below = _count_below(contest, middle)
        rest = -below % BLOCK  # so many of the second part complete the last block of the first
        second = _query(contest, first_id=middle, skip=rest)
        with beside.hashing_beside(*second) as other:
            first = _hashed(*_query(contest, most=below + rest))
            return first.followed_by(other.hashed() or _hashed(*second))
    except SellerUnknown as error:
        raise LeafUnsound(contest=contest.pk) from error


def _middle(contest: Contest) -> int | None:
    """Return the id of about the ticket in the middle; None where the tickets are few."""
    first, last = fetch_row(_ENDS, {"contest": contest.pk})
    if first is None or last - first < BESIDE_FROM:
        return None
    return int((first + last) // 2)


def _count_below(contest: Contest, middle: int) -> int:
    """Return how many sealed tickets have a smaller id."""
    values = {"contest": contest.pk, "middle": middle}
    return int(fetch_value(_BELOW.format(sealed=SEALED), values))


def _hashed(query: str, values: dict[str, int]) -> Hashed:
    with connection.cursor() as cursor:
        begun = started(sellers(cursor))
        with cursor.copy(query, values) as copy:
            return hash_rows(rows_of(copy), begun)


def hashes_between(contest: Contest, *, first_id: int, below_id: int) -> list[bytes]:
    """Return the hashes of the sealed tickets in a range of ids, by id. Raise LeafUnsound."""
    query = _query(contest, first_id=first_id, below_id=below_id)
    with connection.cursor() as cursor:
        with cursor.copy(*query) as copy:
            rows = list(rows_of(copy))
        terminals = {int.from_bytes(row[_TERMINAL]) for row in rows}
        begun = started(sellers(cursor, [*terminals]))
    try:
        return hashes(rows, begun)
    except SellerUnknown as error:
        raise LeafUnsound(contest=contest.pk) from error


def sealed_leaves(contest: Contest) -> Iterator[bytes]:
    """Yield the leaves of all sealed tickets by id, as they were hashed. They contain no code.

    Raise LeafUnsound.
    """
    with connection.cursor() as cursor:
        starts = sellers(cursor)
        with cursor.copy(*_query(contest)) as copy:
            for row in rows_of(copy):
                if row[SELLER] not in starts:
                    raise LeafUnsound(contest=contest.pk)
                yield starts[row[SELLER]][len(LEAF) :] + row[REST]


def _query(
    contest: Contest,
    *,
    first_id: int = 0,
    below_id: int = NO_END,
    skip: int = 0,
    most: int = NO_END,
) -> tuple[str, dict[str, int]]:
    """Return the query of the sealed tickets in a range of ids: `most` of them, after `skip`."""
    legs = ", ".join(LEG_COLUMNS[: len(contest.offered_masks)])
    values = {"contest": contest.pk, "first": first_id, "below": below_id}
    return _ROWS.format(legs=legs, sealed=SEALED), values | {"skip": skip, "most": most}

"""Read the tickets of a contest from the database as the leaves of its seal, and hash them.

A leaf is a ticket's fields, each after its length in four bytes (docs/proofs.md). PostgreSQL writes
a row in the same form in the binary format of COPY. So a leaf is the row as received, with the
codes of premises and terminal instead of their ids, and millions of rows are hashed without being
parsed. At most one block of tickets is in memory.
"""

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import islice
from typing import Any

from django.db import connection

from core.database.binary_copy import rows_of
from core.kernel.errors import InvariantBroken
from core.proofs.merkle import BLOCK, LEAF
from lototrot.models.contest import Contest
from lototrot.models.tickets import LEG_COLUMNS, Ticket

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)

# A row has two bytes, the ids of terminal and premises, the fields of the leaf, and its own id.
# Four bytes of length precede each field. Bets and amount are next to each other.
_SELLER, _REST, _FIGURES, _ID = slice(2, 26), slice(26, -12), slice(42, 58), slice(-8, None)
_TERMINAL = slice(6, 14)
_BETS_AND_CENTS = "i4xq"

_ROWS = """
COPY (SELECT terminal_id, premises_id, sold_at, bets, amount_cents, {legs}, code_commitment, id
        FROM lototrot_ticket t
       WHERE contest_id = %(contest)s AND id >= %(first)s AND id < %(below)s AND {sealed}
       ORDER BY id) TO STDOUT (FORMAT BINARY)
"""
# All tickets are sealed except those voided as errors, which happens only before closing [E4].
SEALED = "NOT EXISTS (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id AND v.reason = 'error')"
_SELLERS = """
SELECT t.id, t.code, p.id, p.code FROM premises_terminal t
  JOIN premises_premises p ON p.id = t.premises_id {where}
"""
_MOST = 2**63 - 1

_Started = Mapping[bytes, Callable[[], Any]]
"""By the ids of terminal and premises: what returns a hash that has the first bytes of the leaf.

It copies one, which takes less time than to begin one.
"""


class LeafUnsound(InvariantBroken):
    code = "leaf_unsound"
    message = "A ticket's premises are not those of its terminal."


@dataclass(frozen=True, slots=True)
class Block:
    """The hashes of up to BLOCK leaves, the id of the first ticket, and the sums of all tickets."""

    first_id: int
    hashes: list[bytes]
    bets: int
    takings_cents: int


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
    return b"".join(_sized(field) for field in fields)


def blocks(contest: Contest) -> Iterator[Block]:
    """Yield the hashes of the sealed tickets by id, block by block. Raise LeafUnsound."""
    started = _started(_sellers())
    with connection.cursor() as cursor, cursor.copy(*_query(contest, 0, _MOST)) as copy:
        source = rows_of(copy)
        while rows := list(islice(source, BLOCK)):
            figures = struct.unpack(
                "!" + _BETS_AND_CENTS * len(rows), b"".join([row[_FIGURES] for row in rows])
            )
            yield Block(
                int.from_bytes(rows[0][_ID]),
                _hashes(contest, rows, started),
                bets=sum(figures[::2]),
                takings_cents=sum(figures[1::2]),
            )


def hashes_between(contest: Contest, *, first_id: int, below_id: int) -> list[bytes]:
    """Return the hashes of the sealed tickets in a range of ids, by id. Raise LeafUnsound."""
    query = _query(contest, first_id, below_id)
    with connection.cursor() as cursor, cursor.copy(*query) as copy:
        rows = list(rows_of(copy))
    terminals = {int.from_bytes(row[_TERMINAL]) for row in rows}
    return _hashes(contest, rows, _started(_sellers([*terminals])))


def _started(sellers: Mapping[bytes, bytes]) -> _Started:
    return {ids: sha256(start).copy for ids, start in sellers.items()}


def _hashes(contest: Contest, rows: list[bytes], started: _Started) -> list[bytes]:
    hashes = []
    try:
        for row in rows:
            hash_ = started[row[_SELLER]]()
            hash_.update(row[_REST])
            hashes.append(hash_.digest())
    except KeyError as error:
        raise LeafUnsound(contest=contest.pk) from error
    return hashes


def sealed_leaves(contest: Contest) -> Iterator[bytes]:
    """Yield the leaves of all sealed tickets by id, as they were hashed. They contain no code.

    Raise LeafUnsound.
    """
    sellers = _sellers()
    with connection.cursor() as cursor, cursor.copy(*_query(contest, 0, _MOST)) as copy:
        for row in rows_of(copy):
            if row[_SELLER] not in sellers:
                raise LeafUnsound(contest=contest.pk)
            yield sellers[row[_SELLER]][len(LEAF) :] + row[_REST]


def _query(contest: Contest, first_id: int, below_id: int) -> tuple[str, dict[str, int]]:
    query = _ROWS.format(legs=", ".join(LEG_COLUMNS[: len(contest.offered_masks)]), sealed=SEALED)
    return query, {"contest": contest.pk, "first": first_id, "below": below_id}


def _sellers(terminals: list[int] | None = None) -> Mapping[bytes, bytes]:
    """Return the first bytes of a leaf by the ids of terminal and premises, as rows hold them.

    Cover all terminals, or those with the given ids.
    """
    where = "" if terminals is None else "WHERE t.id = ANY(%(terminals)s::bigint[])"
    with connection.cursor() as cursor:
        cursor.execute(_SELLERS.format(where=where), {"terminals": terminals})
        return {
            struct.pack("!iqiq", 8, terminal_id, 8, premises_id): LEAF
            + _sized(premises.encode())
            + _sized(terminal.encode())
            for terminal_id, terminal, premises_id, premises in cursor.fetchall()
        }


def _sized(field: bytes) -> bytes:
    return struct.pack("!i", len(field)) + field

"""Hash the rows of tickets, as COPY sends them, to the blocks of a seal.

This module knows the database but not Django. So it is also a program that begins quickly: it reads
a `Part` in a line of JSON, hashes the tickets of that part as the process that began it sees them,
and writes `Hashed` in JSON (`beside`).
"""

import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from itertools import islice
from typing import Any

import msgspec
import psycopg
from psycopg import sql

from core.database.binary_copy import rows_of
from core.proofs.merkle import BLOCK, LEAF, root

# A row has two bytes, the ids of terminal and premises, the fields of the leaf, and its own id.
# Four bytes of length precede each field. Bets and amount are next to each other.
SELLER, REST, _FIGURES, _ID = slice(2, 26), slice(26, -12), slice(42, 58), slice(-8, None)
_BETS_AND_CENTS = "i4xq"

_SELLERS = """
SELECT t.id, t.code, p.id, p.code FROM premises_terminal t
  JOIN premises_premises p ON p.id = t.premises_id {where}
"""

SELLER_UNKNOWN = 3
"""The program ends with this where a ticket's premises are not those of its terminal."""

Sellers = Mapping[bytes, bytes]
"""By the ids of terminal and premises, as rows hold them: the first bytes of the leaf."""
Started = Mapping[bytes, Callable[[], Any]]
"""By the same ids: what returns a hash that has the first bytes of the leaf.

It copies one, which takes less time than to begin one.
"""


class SellerUnknown(LookupError):
    """A ticket's premises are not those of its terminal."""


class Hashed(msgspec.Struct, frozen=True):
    """The roots of blocks of BLOCK leaves, one after another, and the id of the first ticket of
    each; the number of tickets, and the sums of their bets and of their takings in cents.
    """

    roots: bytes
    first_ids: list[int]
    tickets: int
    bets: int
    takings_cents: int

    def followed_by(self, other: "Hashed") -> "Hashed":
        """Return both together. Only the last block of the other may be smaller than BLOCK."""
        return Hashed(
            self.roots + other.roots,
            self.first_ids + other.first_ids,
            self.tickets + other.tickets,
            self.bets + other.bets,
            self.takings_cents + other.takings_cents,
        )


class Part(msgspec.Struct, frozen=True):
    """A query of COPY, to be read in the snapshot of a session of a server.

    `server` has what psycopg needs to connect.
    """

    server: dict[str, str | int]
    snapshot: str
    query: str
    parameters: dict[str, int]


def sellers(cursor: Any, terminals: list[int] | None = None) -> Sellers:
    """Return the first bytes of a leaf by seller: of all terminals, or of those with the ids."""
    where = "" if terminals is None else "WHERE t.id = ANY(%(terminals)s::bigint[])"
    cursor.execute(_SELLERS.format(where=where), {"terminals": terminals})
    return {
        struct.pack("!iqiq", 8, terminal_id, 8, premises_id): LEAF
        + sized(premises.encode())
        + sized(terminal.encode())
        for terminal_id, terminal, premises_id, premises in cursor.fetchall()
    }


def sized(field: bytes) -> bytes:
    """Return a field of a leaf, after its length."""
    return struct.pack("!i", len(field)) + field


def hash_rows(rows: Iterator[bytes], begun: Started) -> Hashed:
    """Return the blocks of rows. Raise SellerUnknown."""
    roots, first_ids = bytearray(), []
    tickets = bets = takings_cents = 0
    while block := list(islice(rows, BLOCK)):
        figures = struct.unpack(
            "!" + _BETS_AND_CENTS * len(block), b"".join([row[_FIGURES] for row in block])
        )
        roots += root(hashes(block, begun))
        first_ids.append(int.from_bytes(block[0][_ID]))
        tickets += len(block)
        bets, takings_cents = bets + sum(figures[::2]), takings_cents + sum(figures[1::2])
    return Hashed(bytes(roots), first_ids, tickets, bets, takings_cents)


def started(of: Sellers) -> Started:
    """Begin a hash for each seller."""
    return {ids: sha256(start).copy for ids, start in of.items()}


def hashes(rows: list[bytes], begun: Started) -> list[bytes]:
    """Return the hash of each row's leaf. Raise SellerUnknown."""
    digests = []
    try:
        for row in rows:
            leaf = begun[row[SELLER]]()
            leaf.update(row[REST])
            digests.append(leaf.digest())
    except KeyError as error:
        raise SellerUnknown from error
    return digests


def hash_part(part: Part) -> Hashed:
    """Read a part in its snapshot, and hash it. Raise SellerUnknown or psycopg.Error."""
    settings: dict[str, Any] = dict(part.server)
    with psycopg.connect(**settings) as session, session.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(part.snapshot))
        cursor.execute("SET LOCAL statement_timeout = 0; SET LOCAL jit = off")
        begun = started(sellers(cursor))
        with cursor.copy(part.query.encode(), part.parameters) as copy:
            return hash_rows(rows_of(copy), begun)


def main() -> int:
    """Hash the part of the input. Return 0, or SELLER_UNKNOWN where a seller is unknown."""
    part = msgspec.json.decode(sys.stdin.buffer.readline(), type=Part)
    try:
        hashed = hash_part(part)
    except SellerUnknown:
        return SELLER_UNKNOWN
    sys.stdout.buffer.write(msgspec.json.encode(hashed))
    return 0


if __name__ == "__main__":
    sys.exit(main())

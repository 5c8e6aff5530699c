"""Hash rows as COPY sends them, without a database (14.III.1.5)."""

import struct
from collections.abc import Iterator
from hashlib import sha256
from itertools import chain

import pytest

from core.proofs import merkle
from lototrot.services.seal import hashing

pytestmark = pytest.mark.article("14.III.1.5")

SELLERS = {struct.pack("!iqiq", 8, terminal, 8, 1): b"\0T%d" % terminal for terminal in (1, 2)}


def row(ident: int, *, terminal: int = 1, bets: int = 1, cents: int = 50) -> bytes:
    """Return a ticket of one leg with its time, as a row of the binary COPY."""
    fields = struct.pack("!iqiiiq", 8, 0, 4, bets, 8, cents) + struct.pack("!ii", 4, 3)
    seller = struct.pack("!iqiq", 8, terminal, 8, 1)
    return struct.pack("!h", 8) + seller + fields + struct.pack("!iq", 8, ident)


def rows(*idents: int) -> Iterator[bytes]:
    return iter([row(ident) for ident in idents])


@pytest.fixture(autouse=True)
def blocks_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "BLOCK", 4)


def test_a_block_has_the_root_of_its_leaves_and_the_sums_of_its_tickets() -> None:
    some = [row(7, bets=2, cents=100), row(9, terminal=2, bets=3, cents=150)]
    hashed = hashing.hash_rows(iter(some), hashing.started(SELLERS))
    leaves = [sha256(SELLERS[each[hashing.SELLER]] + each[hashing.REST]).digest() for each in some]
    assert hashed == hashing.Hashed(merkle.root(leaves), [7], 2, 5, 250)


def test_no_ticket_is_no_block() -> None:
    hashed = hashing.hash_rows(rows(), hashing.started(SELLERS))
    assert hashed == hashing.Hashed(b"", [], 0, 0, 0)


def test_parts_that_are_cut_between_blocks_are_together_the_whole() -> None:
    begun = hashing.started(SELLERS)
    whole = hashing.hash_rows(rows(*range(11)), begun)
    for cut in (0, 4, 8):
        first = hashing.hash_rows(rows(*range(cut)), begun)
        assert first.followed_by(hashing.hash_rows(rows(*range(cut, 11)), begun)) == whole


def test_a_part_that_is_cut_within_a_block_is_another_tree() -> None:
    begun = hashing.started(SELLERS)
    first, second = (hashing.hash_rows(rows(*part), begun) for part in (range(3), range(3, 11)))
    together = first.followed_by(second)
    assert together.roots != hashing.hash_rows(rows(*range(11)), begun).roots


def test_a_seller_that_is_not_known_is_refused() -> None:
    with pytest.raises(hashing.SellerUnknown):
        hashing.hash_rows(chain(rows(1), [row(2, terminal=3)]), hashing.started(SELLERS))

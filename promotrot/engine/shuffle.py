"""Assign prizes to tickets by a public algorithm under a key that no one can choose (15.II.2).

First a commitment to a secret seed, the plan and the size is published. Then a witness's public
entropy is mixed in. With the key one can compute every prize; without it, none. When the seed is
revealed, anybody can compute them: docs/emission-algorithm.md gives every byte.
"""

import hashlib
from typing import Final

from core.kernel.errors import Invalid
from core.kernel.sampling import FIRST_WORDS, Stream, framed, u64
from promotrot.engine.plan import Plan

ALGORITHM: Final = "promotrot-shake256-fisher-yates/1"
SEED_BYTES: Final = 32

_COMMITMENT: Final = b"promotrot/commitment/1"
_KEY: Final = b"promotrot/key/1"
_BLOCKS: Final = b"promotrot/blocks/1"
_TICKETS: Final = b"promotrot/tickets/1"
_PICTURE: Final = b"promotrot/picture/1"


class SeedRefused(Invalid):
    """The seed or key does not have exactly 32 bytes."""

    code = "seed_refused"
    message = "A seed has 256 bits."


class EntropyMissing(Invalid):
    """There is no entropy of a witness. Without it the operator could have chosen the seed."""

    code = "entropy_missing"
    message = "The witness has entered nothing."


def commitment(seed: bytes, emission: str, plan: Plan) -> bytes:
    """Return the 32 bytes that are published before the witness acts.

    They bind the seed, the emission's reference, its size, the plan and this algorithm, and reveal
    nothing about the seed.
    """
    return _hash(
        _COMMITMENT,
        ALGORITHM.encode(),
        emission.encode(),
        u64(plan.tickets),
        plan.digest(),
        _secret(seed),
    )


def mixed_key(seed: bytes, published: bytes, entropy: bytes) -> bytes:
    """Return the emission's key (32 bytes), from seed, published commitment and witness's entropy.

    Raises EntropyMissing.
    """
    if not entropy:
        raise EntropyMissing
    return _hash(_KEY, published, _secret(seed), entropy)


def block_order(key: bytes, emission: str, blocks: int) -> list[int]:
    """Return the plan's block numbers in the order in which they are opened for sale.

    While tickets are unsold, store only the place in this order. The plan's number would reveal the
    prizes of the block.
    """
    stream = Stream(_BLOCKS, _secret(key), emission.encode(), words=blocks + FIRST_WORDS)
    return stream.permutation(blocks)


def block_prizes(key: bytes, emission: str, plan: Plan, opening: int) -> bytes:
    """Return the prizes of the block opened in place `opening`, counted from 0.

    There is one byte per ticket in the order of sale: its tier, or 0. Keep the result in memory
    while the block is on sale. Raises IndexError if the emission has no such block.
    """
    if opening < 0:
        raise IndexError(opening)
    block = plan.block(block_order(key, emission, plan.blocks)[opening])
    slots = b"".join(bytes([tier]) * count for tier, count in enumerate(block.prizes, start=1))
    slots = slots.ljust(block.tickets, b"\0")
    stream = Stream(
        _TICKETS, _secret(key), emission.encode(), u64(opening), words=block.tickets + FIRST_WORDS
    )
    return bytes(map(slots.__getitem__, stream.permutation(block.tickets)))


def picture_stream(key: bytes, emission: str, opening: int, position: int) -> Stream:
    """Return the source of a sold ticket's picture. It gives the same picture at any time."""
    return Stream(_PICTURE, _secret(key), emission.encode(), u64(opening), u64(position))


def _hash(domain: bytes, *parts: bytes) -> bytes:
    return hashlib.shake_256(framed(domain, *parts)).digest(32)


def _secret(value: bytes) -> bytes:
    if len(value) != SEED_BYTES:
        raise SeedRefused
    return value

"""Which prize each ticket holds: a public algorithm under a key nobody could choose (`15.II.2`).

First a commitment to a secret seed, the plan and the size is published; then a witness's public
entropy is mixed in. Whoever holds the key can tell every prize; whoever does not, none. Once the
seed is revealed anybody can: docs/emission-algorithm.md gives every byte.
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
    """A seed or key is exactly 32 bytes."""

    code = "seed_refused"
    message = "A seed has 256 bits."


class EntropyMissing(Invalid):
    """Without a witness's entropy the operator could have chosen the seed."""

    code = "entropy_missing"
    message = "The witness has entered nothing."


def commitment(seed: bytes, emission: str, plan: Plan) -> bytes:
    """What is published before the witness acts: 32 bytes that bind the seed, the emission's
    reference, its size, the plan and this algorithm, and tell nothing of the seed."""
    return _hash(
        _COMMITMENT,
        ALGORITHM.encode(),
        emission.encode(),
        u64(plan.tickets),
        plan.digest(),
        _secret(seed),
    )


def mixed_key(seed: bytes, published: bytes, entropy: bytes) -> bytes:
    """The emission's key (32 bytes): the seed, the published commitment, the witness's entropy.

    Raises EntropyMissing.
    """
    if not entropy:
        raise EntropyMissing
    return _hash(_KEY, published, _secret(seed), entropy)


def block_order(key: bytes, emission: str, blocks: int) -> list[int]:
    """The plan's block numbers in the order they are opened for sale.

    Only the place in this order may be stored while tickets are unsold: the plan's number would
    tell the prizes of the block.
    """
    stream = Stream(_BLOCKS, _secret(key), emission.encode(), words=blocks + FIRST_WORDS)
    return stream.permutation(blocks)


def block_prizes(key: bytes, emission: str, plan: Plan, opening: int) -> bytes:
    """The whole block opened in the `opening`-th place (from 0): one byte per ticket in the order
    of sale, the number of its tier or 0. Worth keeping in memory while the block is on sale.

    Raises IndexError when the emission has no such block.
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
    """The source of a sold ticket's picture: it can be drawn again, the same, at any time."""
    return Stream(_PICTURE, _secret(key), emission.encode(), u64(opening), u64(position))


def _hash(domain: bytes, *parts: bytes) -> bytes:
    return hashlib.shake_256(framed(domain, *parts)).digest(32)


def _secret(value: bytes) -> bytes:
    if len(value) != SEED_BYTES:
        raise SeedRefused
    return value

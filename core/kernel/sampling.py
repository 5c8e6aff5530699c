"""Make uniform random choices that anybody can repeat from the same bytes.

Integers come from SHAKE-256 in 32-bit words and are reduced below a bound by rejection, so that all
values are equally likely. docs/proofs/draws.md and docs/emission-algorithm.md give every byte.
"""

import hashlib
import struct
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final, TypeVar

T = TypeVar("T")

_WORD: Final = 1 << 32
FIRST_WORDS: Final = 64


class Stream:
    """A sequence of uniform integers from SHAKE-256 over a domain and its parts.

    `words` is the number of words computed at first. It changes the speed and not the result.
    """

    def __init__(self, domain: bytes, *parts: bytes, words: int = FIRST_WORDS) -> None:
        self._words = _words(framed(domain, *parts), words)

    def below(self, bound: int) -> int:
        """Return a uniform integer `0 <= x < bound`, by rejection of whole 32-bit words."""
        if bound < 1:
            raise ValueError("there is no integer below 1")
        words = max(1, ((bound - 1).bit_length() + 31) // 32)
        span = 1 << (32 * words)
        while True:
            drawn = 0
            for _ in range(words):
                drawn = drawn << 32 | next(self._words)
            result = drawn % bound
            # A value is kept when the whole run of `bound` values it lies in is below the span.
            if drawn - result <= span - bound:
                return result

    def permutation(self, size: int) -> list[int]:
        """Return a uniform permutation of `range(size)`: Fisher-Yates from the last place down.

        The result equals drawing `below(place + 1)` for each place. The loop is written out because
        it takes nearly all the time of opening a block.
        """
        order = list(range(size))
        always_kept = _WORD - size
        for place, word in zip(range(size - 1, 0, -1), self._words, strict=False):
            other = word % (place + 1) if word <= always_kept else self._kept(word, place + 1)
            order[place], order[other] = order[other], order[place]
        return order

    def _kept(self, word: int, bound: int) -> int:
        """Return a word reduced below `bound`: this one, or the next that rejection keeps."""
        while word - word % bound > _WORD - bound:
            word = next(self._words)
        return word % bound

    def first(self, places: int, of: Sequence[T]) -> list[T]:
        """Return the first `places` members of a uniform order of `of`: Fisher-Yates from the first
        place.

        Place p, counted from 0, is swapped with place `p + below(len(of) - p)`. Raises ValueError
        if there are more places than members.
        """
        if places > len(of):
            raise ValueError("more places than members")
        order = list(of)
        for place in range(places):
            other = place + self.below(len(order) - place)
            order[place], order[other] = order[other], order[place]
        return order[:places]


def framed(*parts: bytes) -> bytes:
    """Join the parts, each after its length in eight bytes, so that different lists give different
    bytes.
    """
    return b"".join(u64(len(part)) + part for part in parts)


def u64(number: int) -> bytes:
    """Return eight bytes, the highest first."""
    return number.to_bytes(8, "big")


def _words(message: bytes, first: int) -> Iterator[int]:
    """Return the output of SHAKE-256 as big-endian 32-bit words, without end."""
    return chain.from_iterable(_runs_of_words(message, first))


def _runs_of_words(message: bytes, first: int) -> Iterator[tuple[int, ...]]:
    source = hashlib.shake_256(message)
    done, total = 0, first
    while True:
        squeezed = source.digest(4 * total)
        yield struct.unpack(f">{total - done}I", squeezed[4 * done :])
        done, total = total, 2 * total

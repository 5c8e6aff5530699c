"""Draw uniform integers, and compare them with SHAKE-256 read independently."""

import hashlib
import struct

import pytest

from core.kernel import sampling
from core.kernel.sampling import FIRST_WORDS, Stream, framed, u64


def words(count: int, *parts: bytes) -> list[int]:
    """Return the first 32-bit words of SHAKE-256 over the parts, each after its length."""
    message = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return [*struct.unpack(f">{count}I", hashlib.shake_256(message).digest(4 * count))]


def test_a_frame_tells_lists_of_parts_apart() -> None:
    assert framed(b"ab", b"") == u64(2) + b"ab" + u64(0)
    assert len({framed(b"ab", b"c"), framed(b"a", b"bc"), framed(b"abc")}) == 3


def test_integers_are_words_reduced_below_the_bound() -> None:
    stream = Stream(b"test", b"seed")
    # 2**32 is a multiple of 16, so no word is rejected.
    assert [stream.below(16) for _ in range(8)] == [
        word % 16 for word in words(8, b"test", b"seed")
    ]


def test_a_word_above_the_last_full_run_is_rejected() -> None:
    bound = 3 << 30  # only words below 3 * 2**30 are kept: a quarter is rejected
    kept = [word for word in words(64, b"test") if word < bound][:20]
    stream = Stream(b"test")
    assert [stream.below(bound) for _ in range(20)] == kept


@pytest.mark.parametrize("refused", [2**32 - 1, 2**32 - 2, 2**32 - 4])
def test_a_permutation_rejects_the_words_that_below_rejects(
    refused: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = [refused, refused, 17, refused, 4, 2**32 - 5, 3, refused, 1, 0, *range(100, 120)]
    monkeypatch.setattr(sampling, "_words", lambda message, first: iter(drawn))
    plain, source = list(range(9)), Stream(b"test")
    for place in range(8, 0, -1):
        other = source.below(place + 1)
        plain[place], plain[other] = plain[other], plain[place]
    whole = Stream(b"test")
    assert whole.permutation(9) == plain
    assert whole.below(2**32) == source.below(2**32)


def test_the_number_of_words_computed_first_changes_nothing() -> None:
    few, many = Stream(b"test", words=1), Stream(b"test", words=4 * FIRST_WORDS)
    assert [few.below(1000) for _ in range(300)] == [many.below(1000) for _ in range(300)]


def test_a_bound_beyond_one_word_takes_several() -> None:
    high, low = words(2, b"test")
    assert Stream(b"test").below(1 << 64) == high << 32 | low


def test_a_permutation_equals_draws_from_the_last_place_down() -> None:
    stream, order = Stream(b"test"), list(range(50))
    for place in range(49, 0, -1):
        other = stream.below(place + 1)
        order[place], order[other] = order[other], order[place]
    assert Stream(b"test").permutation(50) == order
    assert sorted(order) == list(range(50))


def test_the_first_places_begin_the_complete_order() -> None:
    names = [f"horse {number}" for number in range(12)]
    complete = Stream(b"test").first(12, names)
    assert sorted(complete) == sorted(names)
    assert Stream(b"test").first(3, names) == complete[:3]


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="below 1"):
        Stream(b"test").below(0)
    with pytest.raises(ValueError, match="more places"):
        Stream(b"test").first(3, ["one", "two"])

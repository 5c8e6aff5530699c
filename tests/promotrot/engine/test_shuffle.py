from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.sampling import Stream, framed
from promotrot.engine.game import PredrawnGame
from promotrot.engine.game_json import shipped
from promotrot.engine.plan import Plan, block_sizes, deal, make_plan
from promotrot.engine.prize_table import PredrawnType, Prize, Tier
from promotrot.engine.shuffle import (
    EntropyMissing,
    SeedRefused,
    block_order,
    block_prizes,
    commitment,
    mixed_key,
    picture_stream,
)
from tests.support.chi_square import excess, excess_of
from tests.support.running.effort import STRIDE

SEVENTY = Fraction(70)
KEY = bytes(range(32))


def _table(tickets: int = 60) -> PredrawnType:
    tiers = (Tier(Prize(500), tickets // 60), Tier(Prize(50), tickets // 2))
    return PredrawnType(SEVENTY, tickets, 50, tiers)


def _plan() -> Plan:
    """Return a plan of three blocks, two of them alike, small enough to look at every ticket."""
    return deal(_table(), Fraction(40), [(2, 20), (1, 20)])


def _seed(number: int) -> Stream:
    return Stream(b"test", number.to_bytes(8, "big"))


@pytest.mark.article("15.II.2")
def test_every_block_size_to_5000_is_a_permutation() -> None:
    """`make quick` tries every fifth size."""
    whole: set[int] = set()
    for size in range(1, 5001, STRIDE):
        whole.update(range(len(whole), size))
        order = Stream(b"test", size.to_bytes(8, "big"), words=size).permutation(size)
        assert len(order) == size and set(order) == whole


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize("size", [10_000, 19_999, 600_000])
def test_full_size_blocks_are_permutations(size: int) -> None:
    order = _seed(size).permutation(size)
    seen = bytearray(size)
    for place in order:
        seen[place] += 1
    assert seen == b"\1" * size


def test_the_permutation_is_fisher_yates_over_below() -> None:
    for size in (1, 2, 7, 100, 3000):
        plain, source = list(range(size)), _seed(size)
        for place in range(size - 1, 0, -1):
            other = source.below(place + 1)
            plain[place], plain[other] = plain[other], plain[place]
        assert _seed(size).permutation(size) == plain


def test_the_stream_is_the_same_however_it_is_squeezed() -> None:
    few = Stream(b"test", words=1)
    many = Stream(b"test", words=1000)
    assert [few.below(1 << 32) for _ in range(900)] == [many.below(1 << 32) for _ in range(900)]


@given(bound=st.integers(1, 1 << 100), seed=st.integers(0, 1000))
def test_integers_are_below_their_bound(bound: int, seed: int) -> None:
    assert 0 <= _seed(seed).below(bound) < bound


def test_no_integer_below_nothing() -> None:
    with pytest.raises(ValueError, match="below"):
        _seed(0).below(0)


def test_rejection_takes_the_next_word() -> None:
    """The bound is just above half of the words; without rejection, low values would be twice as
    likely.
    """
    bound = (1 << 31) + 1
    words = _seed(1)
    raw = [words.below(1 << 32) for _ in range(400)]
    kept = [word for word in raw if word < bound]
    source = _seed(1)
    assert [source.below(bound) for _ in kept] == kept
    assert len(kept) < 300


Shuffle = Callable[[Stream, int], list[int]]


def _ours(source: Stream, size: int) -> list[int]:
    return source.permutation(size)


def _naive(source: Stream, size: int) -> list[int]:
    """Shuffle wrongly, as is well known: swap with any position, not only with those that are
    left.
    """
    order = list(range(size))
    for place in range(size):
        other = source.below(size)
        order[place], order[other] = order[other], order[place]
    return order


def _modulo(source: Stream, size: int) -> list[int]:
    """Draw wrongly: take the remainder of a small word without rejection."""
    order = list(range(size))
    for place in range(size - 1, 0, -1):
        other = source.below(16) % (place + 1)
        order[place], order[other] = order[other], order[place]
    return order


def _place_excess(shuffle: Shuffle, size: int = 12, seeds: int = 8_000) -> float:
    """Return the excess of the worst position over uniform, from many seeds."""
    orders = [shuffle(_seed(number), size) for number in range(seeds)]
    return max(excess_of((order[place] for order in orders), size) for place in range(size))


def _order_excess(shuffle: Shuffle, seeds: int = 24_000) -> float:
    """Return the excess of the orders of five elements over uniform."""
    return excess_of((tuple(shuffle(_seed(number), 5)) for number in range(seeds)), 120)


@pytest.mark.article("15.II.2")
def test_places_and_orders_are_uniform() -> None:
    assert _place_excess(_ours) < 1
    assert _order_excess(_ours) < 1


@pytest.mark.parametrize("biased", [_naive, _modulo])
def test_the_same_tests_catch_a_biased_shuffle(biased: Shuffle) -> None:
    assert _place_excess(biased) > 1
    assert _order_excess(biased) > 1


@pytest.mark.article("15.II.2")
def test_the_top_prize_falls_anywhere_in_a_full_block() -> None:
    """Look at eight prizes of one ticket each, in as many blocks as the highest needs by itself."""
    top = range(1, 9)
    tiers = *(Tier(Prize(50_000 - 100 * number), 1) for number in top), Tier(Prize(100), 3_000)
    kind = PredrawnType(SEVENTY, 10_000, 50, tiers)
    plan = make_plan(kind, SEVENTY, block_tickets=10_000)
    blocks = [block_prizes(number.to_bytes(32, "big"), "chi", plan, 0) for number in range(250)]
    assert excess_of((block.index(1) // 500 for block in blocks), 20) < 1
    assert excess_of((block.index(one) // 500 for block in blocks for one in top), 20) < 1


def test_neighbouring_seeds_and_blocks_have_nothing_in_common() -> None:
    """Two independent shuffles agree on one position in the mean."""
    orders = [_seed(number).permutation(200) for number in range(2_001)]
    agreeing = [sum(a == b for a, b in zip(x, y, strict=True)) for x, y in pairwise(orders)]
    assert abs(sum(agreeing) / len(agreeing) - 1) < 0.15


@pytest.mark.article("15.II.2")
def test_the_tickets_of_an_emission_are_exactly_its_table() -> None:
    plan = _plan()
    order = block_order(KEY, "small/1", plan.blocks)
    assert sorted(order) == [0, 1, 2]
    dealt: Counter[int] = Counter()
    for opening, number in enumerate(order):
        prizes = block_prizes(KEY, "small/1", plan, opening)
        block = plan.block(number)
        assert len(prizes) == block.tickets
        assert Counter(prizes)[1] == block.prizes[0]
        dealt.update(prizes)
    assert dealt == {0: 60 - 31, 1: 1, 2: 30}


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize(
    "game", [g for g in shipped() if isinstance(g, PredrawnGame)], ids=lambda g: g.code
)
def test_every_ticket_of_each_shipped_emission_adds_up(game: PredrawnGame) -> None:
    plan = make_plan(game.kind, SEVENTY, block_tickets=game.block_tickets)
    dealt: Counter[int] = Counter()
    for opening in range(plan.blocks):
        dealt.update(block_prizes(KEY, f"{game.code}/1", plan, opening))
    counts = {number: tier.count for number, tier in enumerate(game.kind.tiers, start=1)}
    assert dealt == counts | {0: game.kind.tickets - game.kind.prize_count}


def test_the_order_of_the_blocks_is_uniform() -> None:
    firsts = [block_order(n.to_bytes(32, "big"), "order", 10)[0] for n in range(4_000)]
    assert excess(Counter(firsts).values(), 10) < 1


def test_key_emission_block_and_use_all_separate_the_streams() -> None:
    plan = deal(_table(600), Fraction(0), [(3, 200)])
    shuffles = {
        block_prizes(key, emission, plan, opening)
        for key in (KEY, KEY[::-1])
        for emission in ("a/1", "a/2")
        for opening in range(3)
    }
    assert len(shuffles) == 12
    pictures = {
        picture_stream(KEY, emission, opening, position).below(1 << 64)
        for emission in ("a/1", "a/2")
        for opening in range(3)
        for position in range(10)
    }
    assert len(pictures) == 60


@given(st.lists(st.binary(max_size=4), max_size=5), st.lists(st.binary(max_size=4), max_size=5))
def test_framing_is_injective(one: list[bytes], other: list[bytes]) -> None:
    assert (framed(*one) == framed(*other)) == (one == other)


@pytest.mark.article("15.II.2")
def test_the_commitment_binds_everything_that_decides_a_prize() -> None:
    plan = _plan()
    base = commitment(KEY, "game/1", plan)
    reordered = Plan(plan.price_cents, plan.tiers, plan.classes[::-1])
    dearer = Plan(plan.price_cents + 1, plan.tiers, plan.classes)
    others = [
        commitment(KEY[::-1], "game/1", plan),
        commitment(KEY, "game/2", plan),
        commitment(KEY, "game/1", reordered),
        commitment(KEY, "game/1", dearer),
    ]
    assert len(base) == 32
    assert len({base, *others}) == 5
    assert commitment(KEY, "game/1", _plan()) == base


def test_the_key_needs_seed_commitment_and_witness() -> None:
    published = commitment(KEY, "game/1", _plan())
    key = mixed_key(KEY, published, b"3 1 4 1 5 9")
    assert len(key) == 32
    assert (
        len(
            {
                key,
                mixed_key(KEY, published, b"3 1 4 1 5 8"),
                mixed_key(KEY[::-1], published, b"3 1 4 1 5 9"),
                mixed_key(KEY, published[::-1], b"3 1 4 1 5 9"),
            }
        )
        == 4
    )
    with pytest.raises(EntropyMissing):
        mixed_key(KEY, published, b"")


def test_a_seed_has_256_bits() -> None:
    for wrong in (b"", bytes(31), bytes(33)):
        with pytest.raises(SeedRefused):
            commitment(wrong, "game/1", _plan())
        with pytest.raises(SeedRefused):
            mixed_key(wrong, bytes(32), b"dice")
        with pytest.raises(SeedRefused):
            block_prizes(wrong, "game/1", _plan(), 0)


def test_there_is_no_block_outside_the_emission() -> None:
    for opening in (-1, 3):
        with pytest.raises(IndexError):
            block_prizes(KEY, "game/1", _plan(), opening)


def test_ten_million_tickets_open_without_touching_them() -> None:
    """Order and commitment depend on the blocks only; a block is dealt when it is used."""
    tiers = (Tier(Prize(100_000), 100), Tier(Prize(100), 3_500_000 - 100_000))
    kind = PredrawnType(SEVENTY, 10_000_000, 50, tiers)
    plan = make_plan(kind, SEVENTY, block_tickets=10_000)
    assert block_sizes(10_000_000, 10_000) == ((1_000, 10_000),)
    assert len(plan.classes) <= 3
    order = block_order(KEY, "big/1", plan.blocks)
    assert sorted(order) == list(range(1_000))
    chosen = islice((opening for opening, number in enumerate(order) if number < 100), 1)
    assert block_prizes(KEY, "big/1", plan, next(chosen)).count(1) == 1

"""Compare Merkle trees with the RFC's definition, and check every proof from 1 to 2,000 leaves."""

import hashlib
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.proofs import merkle
from tests.support.running.effort import STRIDE, tries

# The leaves and the roots of 0 to 8 of them that Certificate Transparency publishes for RFC 6962.
LEAVES = [
    bytes.fromhex(each)
    for each in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def by_definition(hashes: list[bytes]) -> bytes:
    """Return MTH of RFC 6962, 2.1, as it is written there."""
    if len(hashes) == 1:
        return hashes[0]
    cut = 1
    while cut * 2 < len(hashes):
        cut *= 2
    both = by_definition(hashes[:cut]) + by_definition(hashes[cut:])
    return hashlib.sha256(b"\1" + both).digest()


def hashes(count: int) -> list[bytes]:
    return [merkle.leaf_hash(b"%d" % n) for n in range(count)]


def test_the_published_roots() -> None:
    hashes_of_leaves = [merkle.leaf_hash(leaf) for leaf in LEAVES]
    assert [merkle.root(hashes_of_leaves[:n]).hex() for n in range(9)] == ROOTS


def test_every_place_of_every_size_up_to_two_thousand() -> None:
    """Test all sizes: every place up to 130 leaves, then both ends and around powers of two.

    `make quick` tries every fifth size.
    """
    every = hashes(2000)
    for size in range(1, 2001, STRIDE):
        leaves = every[:size]
        tree = list(merkle.levels(leaves))
        (root,) = tree[-1]
        if size <= 130 or size % 97 == 0:
            assert root == by_definition(leaves)
        powers = [(1 << bit) + d for bit in range(11) for d in (-1, 0, 1)]
        for place in range(size) if size <= 130 else {0, size - 1, size // 2, *powers}:
            if place < size:
                path = merkle.path(tree, place)
                assert len(path) <= (size - 1).bit_length()
                assert merkle.root_from(leaves[place], place, size, path) == root


@settings(max_examples=tries(60), deadline=None)
@given(st.data(), st.integers(1, 2000))
def test_no_other_leaf_place_size_or_path_leads_to_the_root(data: st.DataObject, size: int) -> None:
    leaves = hashes(size)
    root = merkle.root(leaves)
    place = data.draw(st.integers(0, size - 1))
    path = merkle.path(merkle.levels(leaves), place)
    assert merkle.root_from(leaves[place], place, size, path) == root
    assert merkle.root_from(merkle.leaf_hash(b"other"), place, size, path) != root
    other = data.draw(st.integers(0, size + 3).filter(lambda n: n != place))
    assert merkle.root_from(leaves[place], other, size, path) != root
    assert merkle.root_from(leaves[place], place, size, [*path, root]) is None
    for at in range(len(path)):
        assert merkle.root_from(leaves[place], place, size, path[:at] + path[at + 1 :]) != root
        wrong = [*path[:at], merkle.leaf_hash(path[at]), *path[at + 1 :]]
        assert merkle.root_from(leaves[place], place, size, wrong) != root


B = merkle.BLOCK


@pytest.mark.parametrize("size", [1, B - 1, B, B + 1, 3 * B + 1, 201 * B + 7])
def test_blocks_give_the_same_tree(size: int) -> None:
    """All leaves differ; the proof of a leaf comes from its block and the blocks' roots."""
    leaves = hashes(size)
    roots = [merkle.root(leaves[at : at + B]) for at in range(0, size, B)]
    root = by_definition(leaves)
    assert merkle.root(roots) == root
    some = Random(size).sample(range(size), min(size, 20))
    for place in {0, size // 2, max(0, size - B - 1), size - 1, *some}:
        first = place - place % B
        path = merkle.block_path(leaves[first : first + B], roots, place)
        assert len(path) <= (size - 1).bit_length()
        assert merkle.root_from(leaves[place], place, size, path) == root

"""Compute Merkle trees as in RFC 9162 (2.1, the shape of RFC 6962) over any number of leaves. Pure.

The hash of a leaf is SHA-256 of a zero byte and its bytes; of a node, of a one byte and the hashes
of its two children. A tree of n leaves has on its left the largest power of two below n.

For many leaves only the roots of blocks of BLOCK leaves are kept, so that memory stays small. Their
`root` is that of the complete tree, and a proof recomputes one block. BLOCK is a power of two; ten
million leaves are ten thousand blocks.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

BLOCK = 1024
LEAF, NODE = b"\0", b"\1"
EMPTY = sha256().digest()
_STARTED_NODE = sha256(NODE)


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(LEAF + leaf).digest()


def levels(hashes: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Yield the hashes of leaves (or of subtrees of one size, except the last), and each level
    above.

    A level hashes the one below in pairs; a hash without a pair goes up unchanged, which gives the
    tree of the RFC. The last level is the root; of no leaves, the hash of nothing.
    """
    new_node = _STARTED_NODE.copy  # takes less time than a new hash
    level = list(hashes) or [EMPTY]
    yield level
    while len(level) > 1:
        above = []
        for left, right in zip(level[::2], level[1::2], strict=False):  # one may be left over
            node = new_node()
            node.update(left)
            node.update(right)
            above.append(node.digest())
        if len(level) % 2:
            above.append(level[-1])
        level = above
        yield level


def root(hashes: Sequence[bytes]) -> bytes:
    """Return the root over those hashes."""
    for level in levels(hashes):
        first = level[0]
    return first


def path(tree: Iterable[Sequence[bytes]], place: int) -> list[bytes]:
    """Return the nodes beside the way from the hash at `place` up to the root, lowest first.

    `tree` is what `levels` yields. Raises IndexError if the tree has no such place.
    """
    beside = []
    for level in tree:
        if not 0 <= place < len(level):
            raise IndexError(place)
        if place ^ 1 < len(level):
            beside.append(level[place ^ 1])
        place >>= 1
    return beside


def cut(hashes: bytes) -> Iterator[bytes]:
    """Yield the hashes that stand one after another."""
    return (hashes[at : at + len(EMPTY)] for at in range(0, len(hashes), len(EMPTY)))


def block_path(block: Sequence[bytes], roots: Sequence[bytes], place: int) -> list[bytes]:
    """Return `path` in the complete tree, from the hashes of the leaf's block and all block
    roots.
    """
    return path(levels(block), place % BLOCK) + path(levels(roots), place // BLOCK)


def root_from(hash_: bytes, place: int, size: int, beside: Sequence[bytes]) -> bytes | None:
    """Return the root to which a leaf's hash leads by its path; None if the path has another
    length.
    """
    rest, last = list(beside), size - 1
    if not 0 <= place < size:
        return None
    while last:
        if place & 1 or place < last:
            if not rest:
                return None
            sibling = rest.pop(0)
            pair = sibling + hash_ if place & 1 else hash_ + sibling
            hash_ = sha256(NODE + pair).digest()
        place, last = place >> 1, last >> 1
    return None if rest else hash_

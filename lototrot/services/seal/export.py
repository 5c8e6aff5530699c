"""Export the sealed tickets of a contest as a file for others to count (docs/proofs/seals.md)."""

from collections.abc import Iterator

from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.selectors.contests import contest_get
from lototrot.selectors.retired import need_all
from lototrot.services.seal.leaves import sealed_leaves
from lototrot.services.seal.sealing import need_sealed

CHUNK_BYTES = 1 << 16


def tickets_export(*, by: StaffActor, contest_id: int) -> Iterator[bytes]:
    """Return the file in chunks: the leaves of the seal, one after another. It contains no code.

    Raise PowerMissing, ContestUnknown, ContestNotSealed or TicketsArchived at once, and LeafUnsound
    while it is read.
    """
    by.need(powers.EXPORT_TICKETS)
    contest = contest_get(contest_id)
    need_sealed(contest)
    need_all(contest_id)
    return _chunks(sealed_leaves(contest))


def _chunks(leaves: Iterator[bytes]) -> Iterator[bytes]:
    chunk = bytearray()
    for leaf in leaves:
        chunk += leaf
        if len(chunk) >= CHUNK_BYTES:
            yield bytes(chunk)
            chunk.clear()
    if chunk:
        yield bytes(chunk)

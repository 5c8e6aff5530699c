"""The sealed tickets of a contest as a file, so that others can count them (docs/proofs.md)."""

from collections.abc import Iterator

from core.staff.actor import StaffActor
from core.staff.powers import Role, define
from lototrot.services.contest.contests import contest_get
from lototrot.services.seal.leaves import sealed_leaves
from lototrot.services.seal.sealing import need_sealed

EXPORT = define("lototrot.tickets.export", Role.ORGANISER, Role.INSPECTOR, Role.AUDITOR)
CHUNK_BYTES = 1 << 16


def tickets_export(*, by: StaffActor, contest_id: int) -> Iterator[bytes]:
    """The file, in chunks: the leaves of the seal one after the other. It names no code.

    Raises PowerMissing, ContestUnknown, ContestNotSealed at once, LeafUnsound while it is read.
    """
    by.need(EXPORT)
    contest = contest_get(contest_id)
    need_sealed(contest)
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

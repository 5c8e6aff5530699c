"""Prove to the holder of a ticket that it is among the sealed tickets, without showing any other.

The proof has the ticket's fields but not its code. Only somebody with the code can check it, and
can do so without this system (docs/proofs/seals.md, verify/ticket.py).
"""

from bisect import bisect_right
from typing import Any

from django.conf import settings

from core.kernel import codes
from core.kernel.canonical import with_digests
from core.kernel.errors import Conflict
from core.proofs import merkle, wire
from lototrot.engine.races import numbers_of
from lototrot.models.sealing import Amendment, Seal
from lototrot.models.tickets import Ticket, Void
from lototrot.selectors.retired import need_all
from lototrot.services.seal.leaves import hashes_between, leaf
from lototrot.services.seal.sealing import SealUnsound, need_sealed
from lototrot.services.tickets.lookup import ticket_by_code

FORMAT = "lototrot-proof-1"


class TicketNotSealed(Conflict):
    code = "ticket_not_sealed"
    message = "The ticket was annulled as an error before closing; it is not among those sealed."


def ticket_proof(*, presented_code: str) -> dict[str, Any]:
    """Return the inclusion proof of the ticket with that code. It reads one block of tickets.

    Raise CodeMalformed, CodeMistyped, CodeForged, TicketNotFound, ContestNotSealed,
    TicketNotSealed, TicketsArchived where the tickets beside it left with a retired month, or
    SealUnsound when the ticket differs from the sealed one.
    """
    ticket = ticket_by_code(presented_code)
    seal = need_sealed(ticket.contest)
    void = Void.objects.filter(ticket=ticket).first()
    if void is not None and void.reason == Void.Reason.ERROR:
        raise TicketNotSealed
    need_all(ticket.contest_id)
    place, path = _path(seal, ticket)
    amended = Amendment.objects.filter(proposal=void.proposal) if void else Amendment.objects.none()
    code = codes.parse(presented_code, settings.CODE_KEYS, codes.TICKET)
    return with_digests(
        {
            "format": FORMAT,
            "ticket": with_digests(
                {
                    "premises": ticket.premises.code,
                    "terminal": ticket.terminal.code,
                    "sold_at": wire.instant(ticket.sold_at),
                    "bets": ticket.bets,
                    "amount_cents": ticket.amount_cents,
                    "selections": [list(numbers_of(mask)) for mask in ticket.legs()],
                }
            ),
            "blind": settings.CODE_KEYS.blind(code, ticket.uuid).hex(),
            "place": place,
            "path": [entry.hex() for entry in path],
            "seal": seal.entry.published(),
            "amendments": [
                entry.entry.published() for entry in amended.select_related("entry__key")
            ],
        }
    )


def _path(seal: Seal, ticket: Ticket) -> tuple[int, list[bytes]]:
    """Return the ticket's index among the sealed ones, and the path from its leaf to the root."""
    kept, first_ids = Seal.objects.values_list("block_roots", "block_first_ids").get(pk=seal.pk)
    roots = list(merkle.cut(bytes(kept)))
    number = bisect_right(first_ids, ticket.pk) - 1
    bounds = [*first_ids, 2**63 - 1]
    hashes = hashes_between(
        ticket.contest, first_id=bounds[max(number, 0)], below_id=bounds[number + 1]
    )
    try:
        place = number * merkle.BLOCK + hashes.index(merkle.leaf_hash(leaf(ticket)))
        path = merkle.block_path(hashes, roots, place)
    except (ValueError, IndexError) as error:
        raise SealUnsound(check="ticket") from error
    root = merkle.root_from(hashes[place % merkle.BLOCK], place, seal.tickets, path)
    if root != bytes.fromhex(seal.entry.document["root"]):
        raise SealUnsound(check="root", sealed=seal.entry.document["root"])
    return place, path

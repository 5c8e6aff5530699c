"""Check that a ticket is among those that the organiser sealed at closing.

    python ticket.py PROOF CODE KEYS [LOG]

PROOF is what POST /api/v1/lototrot/proofs answers to the code; CODE is the one on your ticket; KEYS
is the organiser's public key in hexadecimal (or several, with commas between), from where you trust
it: not from the proof. Compare what is printed with your ticket. LOG is that of public_log.py: only
it tells that the organiser signed another seal for you than for everybody, or left out an amendment
(docs/proofs/seals.md).
"""

import hashlib
import math
import struct
from datetime import UTC, datetime, timedelta
from typing import Any

from documents import AMENDMENT, PROOF, SEAL, TICKET
from entry import digest, euros, intact, keys_of, main, printable, read, signed
from forms import need, sha256, shaped
from public_log import Log

LETTERS = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


def commitment(code: str, blind: bytes) -> bytes:
    """Return the commitment to a code, which no other code gives."""
    text = code.upper().translate(LETTERS).encode()
    return hashlib.sha256(b"trot code commitment\0T" + text + blind).digest()


def leaf(ticket: dict[str, Any], code: str, blind: bytes) -> bytes:
    """Return the ticket as it was hashed: each field after its length in four bytes."""
    sold_at = datetime.fromisoformat(ticket["sold_at"]) - datetime(2000, 1, 1, tzinfo=UTC)
    fields = [
        ticket["premises"].encode(),
        ticket["terminal"].encode(),
        struct.pack("!q", sold_at // timedelta(microseconds=1)),
        struct.pack("!I", ticket["bets"]),
        struct.pack("!Q", ticket["amount_cents"]),
        *(struct.pack("!I", sum(1 << (n - 1) for n in race)) for race in ticket["selections"]),
        commitment(code, blind),
    ]
    return b"".join(struct.pack("!I", len(field)) + field for field in fields)


def root(leaf: bytes, place: int, tickets: int, path: list[str]) -> str:
    """Return the root that follows from a leaf and its path (RFC 9162, 2.1.3.2)."""
    node, last, rest = hashlib.sha256(b"\0" + leaf).digest(), tickets - 1, list(path)
    while last:
        if place & 1 or place < last:
            need(rest, "proof.path", "too short for so many tickets")
            beside = bytes.fromhex(rest.pop(0))
            node = hashlib.sha256(b"\1" + (beside + node if place & 1 else node + beside)).digest()
        place, last = place >> 1, last >> 1
    need(not rest, "proof.path", "too long for so many tickets")
    return node.hex()


def check_ticket(ticket: dict[str, Any], races: int) -> None:
    """Refuse a ticket with a field in another form than the one that is hashed."""
    intact(ticket, TICKET, "proof.ticket")
    selections = ticket["selections"]
    for race in selections:
        need(
            race and race == sorted(set(race)) and race[0] > 0 and race[-1] <= 31,
            "proof.ticket.selections",
            "not the numbers of every race, in order",
        )
    need(len(selections) == races, "proof.ticket.selections", f"not of {races} races")
    bets = math.prod(len(race) for race in selections)
    need(ticket["bets"] == bets < 2**31, "proof.ticket.bets", "not those that its numbers make")


def proof_holds(proof: Any, code: str, *keys: bytes) -> str:
    """Check a proof and return the result as a text. Raises Refused."""
    shaped(proof, PROOF | {"digests": dict.fromkeys(PROOF, sha256)}, "proof")
    seal, ticket, place = proof["seal"]["document"], proof["ticket"], proof["place"]
    intact(seal, SEAL, "proof.seal.document")
    signed(proof["seal"], [*keys], "proof.seal")
    need(proof["seal"]["kind"] == "lototrot.seal", "proof.seal.kind", "not lototrot.seal")
    check_ticket(ticket, seal["races"])
    for number, entry in enumerate(proof["amendments"]):
        name = f"proof.amendments[{number}]"
        intact(entry["document"], AMENDMENT, f"{name}.document")
        signed(entry, [*keys], name)
        need(entry["kind"] == "lototrot.amendment", f"{name}.kind", "not lototrot.amendment")
    intact(proof, PROOF, "proof")
    need(place < seal["tickets"], "proof.place", "not among those sealed")
    leads_to = root(
        leaf(ticket, code, bytes.fromhex(proof["blind"])), place, seal["tickets"], proof["path"]
    )
    need(
        leads_to == seal["root"],
        "proof.ticket, CODE, blind, place or path",
        "this ticket with this code is not the one sealed at that place",
    )
    terms = {name: ticket[name] for name in TICKET if name != "amount_cents"}
    lines = [
        f"SEALED: ticket {place + 1} of {seal['tickets']} of the {seal['bet_type']} contest of "
        f"{seal['day']}, closed at {seal['closed_at']}",
        f"root {seal['root']}",
        *(f"{name}: {str(at).replace('], [', '; ').strip('[]')}" for name, at in terms.items()),
        f"amount: {euros(ticket['amount_cents'])}",
    ]
    for entry in proof["amendments"]:
        voids = entry["document"]
        need(voids["seal"] == digest(proof["seal"]), "proof.amendments.seal", "another seal's")
        mine = [each["reasons"] for each in voids["voided"] if each["place"] == place]
        need(mine, "proof.amendments.voided", "does not list this ticket")
        lines.append(f"VOIDED AFTERWARDS by amendment {voids['number']}: {', '.join(mine)}")
    return "\n".join(map(printable, lines))


def check_published(proof: Any, log: Log) -> None:
    """Refuse a proof by another seal than the published one, or without a published void of it."""
    seal, number, voids = proof["seal"], 1, []
    contest = f"contest:{seal['document']['contest']}"
    need(
        log.entry("lototrot.seal", contest) == seal, "proof.seal", "not the one that was published"
    )
    while log.has("lototrot.amendment", f"{contest}:{number}"):
        entry, number = log.entry("lototrot.amendment", f"{contest}:{number}"), number + 1
        if any(each["place"] == proof["place"] for each in entry["document"]["voided"]):
            voids.append(entry)
    published = proof["amendments"] == voids
    need(published, "proof.amendments", "not those that void the ticket in the public log")


def check(file: str, code: str, keys: str, log: str = "") -> str:
    proof = read(file)
    verdict = proof_holds(proof, code, *keys_of(keys))
    if not log:
        return verdict
    check_published(proof, Log(log, keys))
    return f"{verdict}\nThe public log has this seal, and no other void of it."


if __name__ == "__main__":
    main(check, "ticket.py PROOF CODE KEYS [LOG]")

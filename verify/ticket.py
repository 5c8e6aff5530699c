"""Whether a ticket is among those the organiser sealed when betting closed.

    python ticket.py PROOF.json CODE PUBLIC_KEY

PROOF.json is what POST /api/v1/lototrot/proofs answers to the code; CODE is the one on your
ticket; PUBLIC_KEY is the organiser's, in hexadecimal, from where you trust it: not from the proof.
Offline, with the standard library and ed25519.py. Compare what is printed with your ticket. That an
amendment was left out of a proof cannot be seen offline: the public log has all of a contest.
"""

import hashlib
import re
import struct
from datetime import UTC, datetime, timedelta
from typing import Any

from entry import digest, document, fields, main, need, read, unhex

PROOF = "format ticket blind place path seal amendments"
TICKET = "premises terminal sold_at bets amount_cents selections"
SEAL = """format contest bet_type day programme races closed_at closing_cause tickets bets
    takings_cents root"""
AMENDMENT = "format contest seal number act voided taken left"
LETTERS = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


def node(kind: bytes, content: bytes) -> bytes:
    return hashlib.sha256(kind + content).digest()


def commitment(code: str, blind: bytes) -> bytes:
    """The one thing in the leaf that only this code gives."""
    text = code.upper().translate(LETTERS).encode()
    return hashlib.sha256(b"trot code commitment\0T" + text + blind).digest()


def shaped(ticket: Any, races: int) -> dict[str, Any]:
    """The ticket, if every field is written the one way there is to write it."""
    fields(ticket, TICKET, "ticket")
    for name in ("premises", "terminal"):
        need(isinstance(ticket[name], str), f"ticket.{name}", "not a text")
    for name in ("bets", "amount_cents"):
        need(type(ticket[name]) is int and 0 < ticket[name] < 2**63, f"ticket.{name}", "no number")
    good = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", str(ticket["sold_at"]))
    need(bool(good), "ticket.sold_at", "not an instant in UTC, to the microsecond")
    made = 1
    for race in ticket["selections"] if isinstance(ticket["selections"], list) else [None]:
        good = isinstance(race, list) and race and all(type(each) is int for each in race)
        need(good and race == sorted(set(race)) and race[0] > 0 and race[-1] < 32,
             "ticket.selections", "not the numbers of every race, in order")  # fmt: skip
        made *= len(race)
    need(len(ticket["selections"]) == races, "ticket.selections", f"not of {races} races")
    need(ticket["bets"] == made, "ticket.bets", "not the bets that the selections make")
    return ticket


def leaf(ticket: dict[str, Any], code: str, blind: bytes) -> bytes:
    """The ticket as it was hashed: every field after its length in four bytes."""
    sold_at = datetime.fromisoformat(ticket["sold_at"]) - datetime(2000, 1, 1, tzinfo=UTC)
    fields = [
        ticket["premises"].encode(), ticket["terminal"].encode(),
        struct.pack("!q", sold_at // timedelta(microseconds=1)),
        struct.pack("!i", ticket["bets"]), struct.pack("!q", ticket["amount_cents"]),
        *(struct.pack("!i", sum(1 << (n - 1) for n in race)) for race in ticket["selections"]),
        commitment(code, blind),
    ]  # fmt: skip
    return b"".join(struct.pack("!i", len(field)) + field for field in fields)


def root(hash_: bytes, place: int, tickets: int, path: list[Any]) -> bytes:
    """The root that a leaf leads to (RFC 9162, 2.1.3.2)."""
    rest = [unhex(each, 32, "path") for each in path]
    last = tickets - 1
    while last:
        if place & 1 or place < last:
            need(bool(rest), "path", "too short for so many tickets")
            beside = rest.pop(0)
            hash_ = node(b"\1", beside + hash_ if place & 1 else hash_ + beside)
        place, last = place >> 1, last >> 1
    need(not rest, "path", "too long for so many tickets")
    return hash_


def check(file: str, code: str, public_key: str) -> str:
    return proof_holds(read(file), code, unhex(public_key, 32, "PUBLIC_KEY"))


def proof_holds(proof: Any, code: str, key: bytes) -> str:
    """What the proof proves. Raises Refused."""
    need(isinstance(proof, dict) and isinstance(proof.get("seal"), dict), "seal", "not an object")
    fields(proof["seal"].get("document"), SEAL, "seal.document")
    seal = document(proof["seal"], key, "lototrot.seal", "seal")
    need(seal["format"] == "lototrot-seal-1", "seal.document.format", "not lototrot-seal-1")
    ticket = shaped(proof.get("ticket"), seal["races"])
    fields(proof, PROOF, "proof")
    need(proof["format"] == "lototrot-proof-1", "proof.format", "not lototrot-proof-1")
    place, path, amendments = (proof[name] for name in ("place", "path", "amendments"))
    need(isinstance(path, list), "path", "not a list")
    need(isinstance(amendments, list) and len(amendments) < 2, "amendments", "none or one")
    blind = unhex(proof["blind"], 16, "blind")
    need(type(place) is int and 0 <= place < seal["tickets"], "place", "not among those sealed")
    found = root(node(b"\0", leaf(ticket, code, blind)), place, seal["tickets"], path)
    need(found.hex() == seal["root"], "ticket, CODE, blind, place or path",
         "this ticket with this code is not the one sealed at that place")  # fmt: skip
    said = [f"SEALED: ticket {place + 1} of {seal['tickets']} of the {seal['bet_type']} contest of "
            f"{seal['day']}, closed at {seal['closed_at']}", f"root {seal['root']}"]  # fmt: skip
    said += [f"{name}: {ticket[name]}" for name in TICKET.split()]
    for number, entry in enumerate(amendments):
        voids = document(entry, key, "lototrot.amendment", f"amendments[{number}]")
        fields(voids, AMENDMENT, f"amendments[{number}].document")
        need(voids["seal"] == digest(proof["seal"]), f"amendments[{number}].seal", "another seal's")
        mine = [each["reasons"] for each in voids["voided"] if each["place"] == place]
        need(bool(mine), f"amendments[{number}].voided", "does not list this ticket")
        said.append(f"VOIDED AFTERWARDS by amendment {voids['number']}: {', '.join(mine)}")
    return "\n".join(said)


if __name__ == "__main__":
    main(check, "ticket.py PROOF.json CODE PUBLIC_KEY")

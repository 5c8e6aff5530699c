"""Count the sealed tickets of a settlement again (docs/proofs/seals.md).

The file holds all leaves of the seal in order, each field after its length in four bytes.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from math import prod
from pathlib import Path
from typing import Any

from entry import same
from forms import need
from public_log import Log
from races import REVERSAL

KIND, TOO_LATE = "lototrot.settlement", "after_limit"
Fields = list[bytes]


def leaves(name: str, races: int) -> Iterator[tuple[bytes, Fields]]:
    """Yield every leaf of the file with its fields."""
    sizes = (None, None, 8, 4, 8, *[4] * races, 32)
    with Path(name).open("rb") as file:
        while file.peek(1):
            leaf, fields = b"", []
            for size in sizes:
                length = int.from_bytes(file.read(4), "big")
                need(size in (None, length) and length < 100, "TICKETS", "not a ticket")
                fields.append(file.read(length))
                leaf += length.to_bytes(4, "big") + fields[-1]
            need(len(fields[-1]) == 32, "TICKETS", "the last ticket is incomplete")
            yield leaf, fields


def parent(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


class Tree:
    """Compute the Merkle root (RFC 9162, 2.1.1) of leaves as they come, in little memory."""

    def __init__(self) -> None:
        self.nodes: list[tuple[int, bytes]] = []

    def add(self, leaf: bytes) -> None:
        size, node = 1, hashlib.sha256(b"\0" + leaf).digest()
        while self.nodes and self.nodes[-1][0] == size:
            size, node = 2 * size, parent(self.nodes.pop()[1], node)
        self.nodes.append((size, node))

    def root(self) -> str:
        if not self.nodes:
            return hashlib.sha256().hexdigest()
        node = self.nodes[-1][1]
        for _, left in self.nodes[-2::-1]:
            node = parent(left, node)
        return node.hex()


def winning_bets(masks: list[int], right: list[int]) -> Counter[int]:
    """Return the number of a ticket's bets by right races (14.III.7) [B10]."""
    ways = Counter({0: 1})
    for mask, good in zip(masks, right, strict=True):
        more: Counter[int] = Counter()
        for hits, bets in ways.items():
            more[hits + 1] += bets * (mask & good).bit_count()
            more[hits] += bets * (mask & ~good).bit_count()
        ways = more
    return ways


def voided_places(log: Log, certificate: dict[str, Any]) -> dict[int, str]:
    """Check that the tickets are those of the seal without those voided by published amendments.

    All amendments count that were published before it. A later one undoes it: it was reversed
    before [C9]. Return the reasons of each voided ticket, by its place.
    """
    contest = f"contest:{certificate['contest']}"
    seal = left = log.document("lototrot.seal", contest)
    same(seal, {"contest": certificate["contest"]}, "lototrot.seal")
    same(certificate, {"day": seal["day"], "programme_sha256": seal["programme"]}, KIND)
    same(certificate["rules"], {"code": seal["bet_type"], "legs": seal["races"]}, f"{KIND}.rules")
    sealed = {name: seal[name] for name in ("root", "tickets", "bets", "takings_cents")}
    entry = log.digest("lototrot.seal", contest)
    same(certificate, {"seal": {"entry": entry, **sealed}}, KIND)
    places: dict[int, str] = {}
    entries: list[str] = []
    own = log.entry(KIND, certificate["settlement"])["sequence"]
    while log.has("lototrot.amendment", f"{contest}:{len(entries) + 1}"):
        subject = f"{contest}:{len(entries) + 1}"
        if log.entry("lototrot.amendment", subject)["sequence"] > own:
            stands = not log.has(REVERSAL, certificate["settlement"])
            need(not stands, f"{KIND}.amendments", "tickets were voided since, and it stands")
            log.in_order((REVERSAL, certificate["settlement"]), ("lototrot.amendment", subject))
            break
        amendment = log.document("lototrot.amendment", subject)
        after = {name: left[name] - amendment["taken"][name] for name in amendment["taken"]}
        expected = {"contest": seal["contest"], "number": len(entries) + 1, "seal": entry}
        same(amendment, expected | {"left": after}, "lototrot.amendment")
        new = [each for each in amendment["voided"] if each["place"] not in places]
        voided = {each["place"]: each["reasons"] for each in new}
        good = len(voided) == len(amendment["voided"]) == amendment["taken"]["tickets"]
        need(good, "lototrot.amendment.voided", "not so many tickets, each once")
        places, left = places | voided, after
        entries.append(log.digest("lototrot.amendment", subject))
    counted = {"amendments": entries, "tickets": left["tickets"], "bets": left["bets"]}
    same(certificate, counted, KIND)
    same(certificate["figures"], {"takings": left["takings_cents"]}, f"{KIND}.figures")
    takings = certificate["price_cents"] * left["bets"]
    need(takings == left["takings_cents"], f"{KIND}.price_cents", "not that of so many bets")
    return places


def check_tickets(
    certificate: dict[str, Any], file: str, voided: dict[int, str], limit: str
) -> str:
    """Refuse tickets that are not the sealed ones, or win other amounts than the certificate says.

    Tickets at the `voided` places do not count; no other was sold at the `limit` or later [C6].
    Return in words how many there were, and which voids somebody should ask about: those of tickets
    sold in time that would have won, and those as sold too late of tickets that were not.
    """
    since = datetime.fromisoformat(limit) - datetime(2000, 1, 1, tzinfo=UTC)
    end = since // timedelta(microseconds=1)
    right = [sum(1 << (n - 1) for n in race["right"]) for race in certificate["races"]]
    categories = [int(category) for category in certificate["figures"]["winners"]]
    tree, sealed, counted = Tree(), Counter[str](), Counter[str]()
    won, in_vain, taken_out = Counter[int](), 0, 0
    for place, (leaf, fields) in enumerate(leaves(file, len(right))):
        bets, cents, *masks = (int.from_bytes(field, "big") for field in fields[3:-1])
        price = certificate["price_cents"]
        whole = bets == prod(mask.bit_count() for mask in masks) and cents == bets * price
        need(whole, "TICKETS", f"ticket {place} has other bets or another price than its marks")
        in_time = int.from_bytes(fields[2], "big", signed=True) < end
        hits = winning_bets(masks, right)
        wins = any(hits[category] for category in categories)
        ticket = {"tickets": 1, "bets": bets, "takings_cents": cents, "winning_tickets": int(wins)}
        tree.add(leaf)
        sealed.update(ticket)
        if place in voided:
            in_vain += in_time and voided[place] == TOO_LATE
            taken_out += in_time and wins
        else:
            need(in_time, "TICKETS", f"ticket {place} counts, and was sold after the start")
            counted.update(ticket)
            won.update(hits)
    root = tree.root()
    need(root == certificate["seal"]["root"], "TICKETS", "not the tickets that were sealed")
    totals = {name: sealed[name] for name in ("tickets", "bets", "takings_cents")}
    same(certificate["seal"], totals, "lototrot.settlement.seal")
    same(certificate, {name: counted[name] for name in ("tickets", "bets")}, "lototrot.settlement")
    winners = {str(category): won[category] for category in categories}
    same(certificate["figures"], {"winners": winners}, "lototrot.settlement.figures")
    same(certificate, {"winning_tickets": counted["winning_tickets"]}, "lototrot.settlement")
    won_out = f"; {taken_out} VOIDED WOULD HAVE WON" if taken_out else ""
    too_early = f"; {in_vain} VOIDED AS SOLD AFTER THE START WERE SOLD BEFORE IT" if in_vain else ""
    return f"counted again over {totals['tickets']} sealed tickets{won_out}{too_early}"

"""Check that every sold ticket of an emission held the prize committed to before the first sale
(docs/emission-algorithm.md).

    python emission.py LOG KEYS EMISSION TICKETS

LOG and KEYS are those of public_log.py, EMISSION is its reference, code/number, and TICKETS the
list of its tickets, `opening,position,uuid,tier` a line. statement.py checks the plan's prizes,
the closing statement and what the game owed before.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chance import below, canonical_entropy, hash32, u64, words
from entry import digest_of, main, same
from forms import need
from public_log import Log
from statement import check_carried, check_closing, check_plan

NAMES = ("commitment", "entropy", "closing", "seed")
HEADER = "opening,position,uuid,tier"
LINE = re.compile(r"(0|[1-9]\d{0,8}),(0|[1-9]\d{0,8}),([0-9a-f-]{36}),(\d{0,3})\n", re.ASCII)
Document = dict[str, Any]


def permutation(size: int, *parts: bytes) -> list[int]:
    """Return a permutation by Fisher-Yates, from the last place down."""
    more_than_needed = 2 * size + 1000
    numbers, order = words(more_than_needed, *parts), list(range(size))
    for place in range(size - 1, 0, -1):
        other = below(place + 1, numbers)
        order[place], order[other] = order[other], order[place]
    return order


class Dealing:
    """Compute the tiers of tickets from the emission's key, by block in the order of opening."""

    def __init__(self, key: bytes, emission: str, plan: Document) -> None:
        self.parts = key, emission.encode()
        blocks = [each for each in plan["classes"] for _ in range(each["blocks"])]
        order = permutation(len(blocks), b"promotrot/blocks/1", *self.parts)
        self.blocks = [blocks[at] for at in order]

    def block(self, opening: int) -> list[int]:
        """Return the tier of each position of a block; 0 is no prize."""
        layout = self.blocks[opening]
        slots = [tier for tier, n in enumerate(layout["prizes"], start=1) for _ in range(n)]
        slots += [0] * (layout["tickets"] - len(slots))
        parts = (b"promotrot/tickets/1", *self.parts, u64(opening))
        return [slots[at] for at in permutation(layout["tickets"], *parts)]


def lines(name: str) -> Iterator[tuple[str, int, int, str, str]]:
    """Yield for each line after the first: name, opening, position, digested text, tier."""
    with Path(name).open(encoding="ascii", errors="replace", newline="\n") as file:
        need(file.readline() == HEADER + "\n", "TICKETS", f"does not begin with {HEADER}")
        before = (-1, -1)
        for number, line in enumerate(file, start=2):
            place, match = f"TICKETS line {number}", LINE.fullmatch(line)
            need(match, place, "no ticket")
            opening, position, ident, tier = match.groups() if match else ()
            need(before < (int(opening), int(position)), place, "out of order, or twice")
            before = int(opening), int(position)
            yield place, *before, f"{opening},{position},{ident}\n", tier


def check_tickets(name: str, dealing: Dealing, seed: Document) -> Counter[int]:
    """Check that each ticket held its tier and that the list is the one published.

    Return the number of tickets by tier.
    """
    held, sold, block, opened = Counter[int](), hashlib.sha256(), list[int](), -1
    for place, opening, position, text, tier in lines(name):
        need(opening < len(dealing.blocks), place, "no such block")
        if opening != opened:
            block, opened = dealing.block(opening), opening
        need(position < len(block), place, "no such position")
        need(tier in ("", str(block[position])), place, f"it held tier {block[position]}")
        held[block[position]] += 1
        sold.update(text.encode())
    counted = {"sold": held.total(), "tickets_sha256": sold.hexdigest()}
    same(seed, counted, "promotrot.seed")
    return held


def check(log_file: str, keys: str, emission: str, tickets: str) -> str:
    log = Log(log_file, keys)
    log.in_order(*((f"promotrot.{name}", emission) for name in NAMES))
    documents = [log.document(f"promotrot.{name}", emission) for name in NAMES]
    for name, document in zip(NAMES, documents, strict=True):
        same(document, {"emission": emission}, f"promotrot.{name}")
    committed, witnessed, closing, seed = documents
    plan, size, secret = committed["plan"], committed["tickets"], bytes.fromhex(seed["seed"])
    plan_digest = digest_of(plan)
    same(
        committed, {"plan_digest": plan_digest, "tickets": plan["tickets"]}, "promotrot.commitment"
    )
    check_plan(plan, closing["minimum_percent"])
    commitment = hash32(
        b"promotrot/commitment/1",
        committed["algorithm"].encode(),
        emission.encode(),
        u64(size),
        bytes.fromhex(plan_digest),
        secret,
    )
    need(
        committed["commitment"] == commitment.hex(),
        "promotrot.seed.seed",
        "not the one committed to",
    )
    entropy = canonical_entropy(
        witnessed["source"], witnessed["entropy"], "promotrot.entropy.entropy"
    )
    means = committed["means"]
    pieces = None if means["source"] == "phrase" else len(entropy.split())
    need(means["pieces"] == pieces, "promotrot.entropy.entropy", "not so many as committed to")
    expected = {"commitment": commitment.hex(), "source": means["source"], "entropy": entropy}
    same(witnessed, expected, "promotrot.entropy")
    need(
        committed["committed_at"] <= witnessed["entered_at"] <= closing["closed_at"],
        "promotrot.entropy.entered_at",
        "not between commitment and closing",
    )
    key = hash32(b"promotrot/key/1", commitment, secret, entropy.encode())
    held = check_tickets(tickets, Dealing(key, emission, plan), seed)
    check_closing(closing, plan, held)
    check_carried(log, emission)
    return (
        f"The emission holds: {emission}, {held.total()} of {size} tickets sold, each held what was"
        f" committed to; {closing['awarded_cents']} cents awarded."
    )


if __name__ == "__main__":
    main(check, "emission.py LOG KEYS EMISSION TICKETS")

"""Check that every sold ticket of an emission held the prize committed to before the first sale
(docs/emission-algorithm.md).

    python emission.py LOG KEYS EMISSION TICKETS

LOG and KEYS are those of public_log.py, EMISSION is its reference, code/number, and TICKETS the
list of its tickets, `opening,position,uuid,tier` a line. emissions.py checks the order of all that
was published of its game; statement.py the plan's prizes, the closing statement and what the game
owed before.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chance import below, canonical_entropy, hash32, u64, words
from emissions import CLOSING, COMMITMENT, ENTROPY, OPENING, SEED, check_game
from entry import euros, main, printable, same
from forms import need
from public_log import Log
from statement import check_closing, check_plan, value

HEADER = "opening,position,uuid,tier"
LEAST_LANES, LINEAGE = 64, "journal.lineage"
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

    def lanes(self, tickets: int) -> set[int]:
        """Return the first position of each lane of a block: sales go on from there, one by one."""
        parts = -(-LEAST_LANES // len(self.blocks))
        return {tickets * part // parts for part in range(parts)}

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


def check_tickets(name: str, dealing: Dealing, seed: Document) -> tuple[Counter[int], Counter[int]]:
    """Check that each ticket held its tier and that the list is the one published.

    Return the number of tickets by tier, and of those among them that name no tier.
    """
    held, silent = Counter[int](), Counter[int]()
    sold, block, opened = hashlib.sha256(), list[int](), -1
    lanes, following = set[int](), 0
    for place, opening, position, text, tier in lines(name):
        need(opening < len(dealing.blocks), place, "no such block")
        if opening != opened:
            block, opened = dealing.block(opening), opening
            lanes, following = dealing.lanes(len(block)), 0
        need(position < len(block), place, "no such position")
        in_turn = position in lanes or position == following
        need(in_turn, place, "the ticket before it in its lane was not sold")
        following = position + 1
        need(tier in ("", str(block[position])), place, f"it held tier {block[position]}")
        held[block[position]] += 1
        silent[block[position]] += not tier
        sold.update(text.encode())
    counted = {"sold": held.total(), "tickets_sha256": sold.hexdigest()}
    same(seed, counted, SEED)
    return held, silent


def top_left(plan: Document, held: Counter[int]) -> str:
    """Return in words how many top prizes are left of an emission that stops when none is."""
    most = max(value(tier) for tier in plan["tiers"])
    top = {at: tier["count"] for at, tier in enumerate(plan["tiers"], 1) if value(tier) == most}
    left = sum(count - held[at] for at, count in top.items())
    return f" It was to stop without a top prize; {left} of {sum(top.values())} are not sold."


def begun_anew(log: Log, emission: str) -> str:
    """Return in words why the database began anew between the witness and the closing. What it lost
    is not published: tickets may have been sold, played and then sold again to others.
    """
    first, last = (log.entry(kind, emission)["sequence"] for kind in (ENTROPY, CLOSING))
    reasons = [
        entry["document"]["reason"]
        for (kind, _), entry in log.entries.items()
        if kind == LINEAGE and first < entry["sequence"] < last
    ]
    return printable("".join(f" THE DATABASE BEGAN ANEW BEFORE ITS END: {why}." for why in reasons))


def check(log_file: str, keys: str, emission: str, tickets: str) -> str:
    log = Log(log_file, keys)
    steps = check_game(log, emission.rpartition("/")[0]).get(emission, {})
    for kind in (COMMITMENT, ENTROPY, OPENING, CLOSING, SEED):
        need(kind in steps, f"{kind} {emission}", "not in the log")
    committed, witnessed, closing = steps[COMMITMENT], steps[ENTROPY], steps[CLOSING]
    plan = committed["plan"]
    check_plan(plan, closing["minimum_percent"])
    entropy = canonical_entropy(witnessed["source"], witnessed["entropy"], f"{ENTROPY}.entropy")
    means = committed["means"]
    pieces = None if means["source"] == "phrase" else len(entropy.split())
    need(means["pieces"] == pieces, f"{ENTROPY}.entropy", "not so many as committed to")
    commitment = committed["commitment"]
    expected = {"commitment": commitment, "source": means["source"], "entropy": entropy}
    same(witnessed, expected, ENTROPY)
    secret = bytes.fromhex(steps[SEED]["seed"])
    key = hash32(b"promotrot/key/1", bytes.fromhex(commitment), secret, entropy.encode())
    held, silent = check_tickets(tickets, Dealing(key, emission, plan), steps[SEED])
    check_closing(closing, plan, held, silent)
    return (
        f"The emission holds: {emission}, {held.total()} of {plan['tickets']} tickets sold, each"
        f" held what was committed to; {silent.total()} of them name no tier;"
        f" {euros(closing['awarded_cents'])} awarded."
        + (top_left(plan, held) if steps[OPENING]["stop_without_top"] else "")
        + begun_anew(log, emission)
    )


if __name__ == "__main__":
    main(check, "emission.py LOG KEYS EMISSION TICKETS")

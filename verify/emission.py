"""Whether every ticket sold of an emission held what was committed to before any was sold
(docs/emission-algorithm.md).

    emission.py KEY COMMITMENT ENTROPY CLOSING SEED TICKETS

KEY is the operator's public key in hexadecimal. The four are entries of the public log about the
emission; TICKETS is the list of its tickets, `opening,position,uuid,tier` a line.
"""

import hashlib
import re
import struct
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from draw import LEAST, canonical_entropy, framed
from entry import canonical, document, fields, main, need, read, unhex

COMMITMENT = "format emission algorithm tickets plan plan_digest commitment committed_at"
ENTROPY = "format emission commitment source entropy appointment entered_at"
CLOSING = """format emission tickets sold unsold refunded unfinished price_cents takings_cents
    awarded_cents extra_awarded_cents unclaimed_cents minimum_percent percent shortfall_cents
    owed_before_cents owed_cents closed_at"""
SEED = "format emission seed sold tickets_sha256"
ALGORITHM = "promotrot-shake256-fisher-yates/1"
HEADER = "opening,position,uuid,tier"
LINE = re.compile(r"(0|[1-9]\d{0,8}),(0|[1-9]\d{0,8}),([0-9a-f-]{36}),(\d{0,3})", re.ASCII)
LEAST_BLOCK = 10_000


def hash32(*parts: bytes) -> bytes:
    return hashlib.shake_256(framed(*parts)).digest(32)


def u64(number: int) -> bytes:
    return struct.pack(">Q", number)


def permutation(size: int, *parts: bytes) -> list[int]:
    """Fisher-Yates from the last place down, below each bound by rejection."""
    words = 2 * size + 1000  # far more than rejections take
    source = hashlib.shake_256(framed(*parts)).digest(4 * words)
    numbers = iter(struct.unpack(f">{words}I", source))
    order = list(range(size))
    for place in range(size - 1, 0, -1):
        bound = place + 1
        number = next(n for n in numbers if n - n % bound + bound <= 2**32)
        other = number % bound
        order[place], order[other] = order[other], order[place]
    return order


def value(tier: dict[str, Any]) -> int:
    cents = tier["in_kind"]["equivalent_cents"] if "in_kind" in tier else tier["cash_cents"]
    return int(cents)


def percent_up(cents: int, percent: Fraction) -> int:
    return -int(-cents * percent // 100)


def check_plan(plan: dict[str, Any], tickets: int, minimum: Fraction) -> None:
    """The plan is its prize table, dealt so that each block reaches the minimum on its own."""
    need(plan["format"] == "promotrot-plan/1", "commitment.plan", "of another format")
    tiers, classes = plan["tiers"], plan["classes"]
    need(plan["tickets"] == tickets == sum(c["blocks"] * c["tickets"] for c in classes),
         "commitment.tickets", "not those of the blocks")  # fmt: skip
    for at, tier in enumerate(tiers):
        dealt = sum(c["blocks"] * c["prizes"][at] for c in classes)
        need(dealt == tier["count"], "commitment.plan", f"tier {at + 1} is not dealt as it counts")
    table = any(not tier["extra"] for tier in tiers)
    blocks = sum(c["blocks"] for c in classes)
    for each in classes:
        need(each["tickets"] >= LEAST_BLOCK or blocks == 1, "commitment.plan", "a small block")
        need(min(each["prizes"]) >= 0 and sum(each["prizes"]) <= each["tickets"],
             "commitment.plan", "more prizes than tickets in a block")  # fmt: skip
        given = sum(n * value(t) for n, t in zip(each["prizes"], tiers, strict=True)
                    if not t["extra"])  # fmt: skip
        least = percent_up(each["tickets"] * plan["price_cents"], minimum)
        need(given >= least or not table, "commitment.plan", "a block below the minimum")


class Dealing:
    """The tiers of the tickets under the emission's key, block by block."""

    def __init__(self, key: bytes, emission: str, plan: dict[str, Any]) -> None:
        self.key, self.emission = key, emission.encode()
        self.blocks = [each for each in plan["classes"] for _ in range(each["blocks"])]
        parts = (b"promotrot/blocks/1", key, self.emission)
        self.order = permutation(len(self.blocks), *parts)

    def block(self, opening: int) -> bytes:
        found = self.blocks[self.order[opening]]
        slots = [tier for tier, n in enumerate(found["prizes"], start=1) for _ in range(n)]
        slots += [0] * (found["tickets"] - len(slots))
        parts = (b"promotrot/tickets/1", self.key, self.emission, u64(opening))
        return bytes(slots[at] for at in permutation(found["tickets"], *parts))


def lines(name: str) -> Iterator[tuple[int, int, int, str, str]]:
    """`(number, opening, position, the digested text, tier)` of each line after the first."""
    with Path(name).open(encoding="ascii", newline="\n") as file:
        need(file.readline() == HEADER + "\n", "tickets", f"does not begin with {HEADER}")
        for number, line in enumerate(file, start=2):
            found = LINE.fullmatch(line[:-1])
            good = found is not None and line.endswith("\n")
            need(good, "tickets", f"line {number} is no ticket")
            opening, position, ident, tier = found.groups()  # type: ignore[union-attr]
            yield number, int(opening), int(position), f"{opening},{position},{ident}\n", tier


def check_tickets(name: str, dealing: Dealing, seed: dict[str, Any]) -> list[int]:
    """Recompute every ticket; how many there are of each tier, from 0."""
    counts, digest, sold = [0] * 256, hashlib.sha256(), 0
    before, block = (-1, -1), b""
    for number, opening, position, text, tier in lines(name):
        need((opening, position) > before, "tickets", f"line {number} is out of order, or twice")
        need(opening < len(dealing.order), "tickets", f"line {number}: no such block")
        if opening != before[0]:
            block = dealing.block(opening)
        need(position < len(block), "tickets", f"line {number}: no such position")
        held = block[position]
        need(tier in ("", str(held)), "tickets", f"line {number}: it held tier {held}")
        before = (opening, position)
        counts[held] += 1
        sold += 1
        digest.update(text.encode())
    need(sold == seed["sold"], "seed.sold", f"{sold} are in the list")
    need(digest.hexdigest() == seed["tickets_sha256"], "seed.tickets_sha256", "of another list")
    return counts


def check_closing(closing: dict[str, Any], plan: dict[str, Any], counts: list[int]) -> None:
    """The statement follows from its counts, and those from the tickets."""
    minimum = Fraction(closing["minimum_percent"])
    sold, tiers = closing["sold"], plan["tiers"]
    need(sold == sum(counts), "closing.sold", f"{sum(counts)} are in the list")
    need(closing["tickets"] == plan["tickets"], "closing.tickets", "not the emission's")
    need(closing["unsold"] == plan["tickets"] - sold, "closing.unsold", "not the rest")
    need(closing["price_cents"] == plan["price_cents"], "closing.price_cents", "not the plan's")
    out = closing["refunded"] + closing["unfinished"]
    need(0 <= out <= sold, "closing.unfinished", "more than were sold")
    held = {
        extra: sum(counts[at] * value(t) for at, t in enumerate(tiers, start=1)
                   if t["extra"] is extra)
        for extra in (False, True)
    }  # fmt: skip
    table = any(not tier["extra"] for tier in tiers)
    for name, cents in (("awarded_cents", held[False]), ("extra_awarded_cents", held[True])):
        if table or name == "extra_awarded_cents":
            good = closing[name] == cents if not out else 0 <= closing[name] <= cents
            need(good, f"closing.{name}", f"the tickets sold held {cents}")
    takings = (sold - closing["refunded"]) * closing["price_cents"]
    awarded, before = closing["awarded_cents"], closing["owed_before_cents"]
    short = max(0, percent_up(takings, minimum) - awarded)
    owed = max(0, before - closing["extra_awarded_cents"]) + short
    percent = Fraction(100 * awarded, takings) if takings else None
    need(closing["takings_cents"] == takings, "closing.takings_cents", f"should be {takings}")
    need(closing["shortfall_cents"] == short, "closing.shortfall_cents", f"should be {short}")
    need(closing["owed_cents"] == owed, "closing.owed_cents", f"should be {owed}")
    stated = None if closing["percent"] is None else Fraction(closing["percent"])
    need(stated == percent, "closing.percent", f"should be {percent}")
    total = awarded + closing["extra_awarded_cents"]
    need(0 <= closing["unclaimed_cents"] <= total, "closing.unclaimed_cents", "more than awarded")


def check(key: str, *files: str) -> str:
    public_key = unhex(key, 32, "KEY")
    *logged, tickets = files
    found, entries = {}, {}
    for name, wanted, file in zip(
        ("commitment", "entropy", "closing", "seed"), (COMMITMENT, ENTROPY, CLOSING, SEED), logged,
        strict=True,
    ):  # fmt: skip
        entries[name] = read(file)
        fields(entries[name].get("document"), wanted, name)
        found[name] = document(entries[name], public_key, f"promotrot.{name}", name)
        need(found[name]["format"] == f"promotrot-{name}/1", f"{name}.format", "unknown")
        emission = found["commitment"]["emission"]
        same = entries[name]["subject"] == found[name]["emission"] == emission
        need(same, f"{name}.emission", f"not {emission}")
    order = [entries[name]["sequence"] for name in found]
    need(order == sorted(set(order)), "seed.sequence", "the entries are not in their order")
    committed, entropy, closing, seed = found.values()
    plan = committed["plan"]
    need(committed["algorithm"] == ALGORITHM, "commitment.algorithm", f"not {ALGORITHM}")
    digest = hashlib.sha256(canonical(plan)).digest()
    need(committed["plan_digest"] == digest.hex(), "commitment.plan_digest", "of another plan")
    check_plan(plan, committed["tickets"], Fraction(closing["minimum_percent"]))
    secret = unhex(seed["seed"], 32, "seed.seed")
    made = hash32(b"promotrot/commitment/1", ALGORITHM.encode(), emission.encode(),
                  u64(committed["tickets"]), digest, secret)  # fmt: skip
    need(committed["commitment"] == made.hex(), "seed.seed", "not the one committed to")
    need(entropy["commitment"] == made.hex(), "entropy.commitment", "of another commitment")
    need(entropy["source"] in LEAST, "entropy.source", "unknown")
    text = canonical_entropy(entropy["source"], entropy["entropy"])
    need(text == entropy["entropy"], "entropy.entropy", "not in its canonical form")
    need(bool(entropy["appointment"]), "entropy.appointment", "missing")
    need(committed["committed_at"] <= entropy["entered_at"] <= closing["closed_at"],
         "entropy.entered_at", "not between commitment and closing")  # fmt: skip
    mixed = hash32(b"promotrot/key/1", made, secret, text.encode())
    counts = check_tickets(tickets, Dealing(mixed, emission, plan), seed)
    check_closing(closing, plan, counts)
    return (
        f"The emission holds: {emission}, {sum(counts)} of {committed['tickets']} tickets sold,"
        f" each held what was committed to; {closing['awarded_cents']} cents awarded."
    )


if __name__ == "__main__":
    main(check, "emission.py KEY COMMITMENT ENTROPY CLOSING SEED TICKETS")

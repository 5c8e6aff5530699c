"""Compute random numbers from SHAKE-256, and read a witness's entropy (docs/proofs/draws.md).

And check where and when a public draw was, and what was abandoned or rejected before it [B16].
Instants are compared as texts: they have one form.
"""

import hashlib
import struct
import unicodedata
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from entry import same
from forms import need
from public_log import Log

COMMITMENT, OUTCOME, MINUTES = "draws.commitment", "draws.outcome", "draws.minutes"
ABANDONED, CALLED_OFF, BALLS = "draws.abandoned", "draws.called_off", "draws.balls"
Minutes = dict[str, Any]
NOTICE_S, LEAST = 10 * 60, {"dice": 10, "balls": 6, "phrase": 12}


def framed(*parts: bytes) -> bytes:
    """Return the parts joined, each after its length in eight bytes."""
    return b"".join(u64(len(part)) + part for part in parts)


def u64(number: int) -> bytes:
    return struct.pack(">Q", number)


def hash32(*parts: bytes) -> bytes:
    return hashlib.shake_256(framed(*parts)).digest(32)


def words(count: int, *parts: bytes) -> Iterator[int]:
    """Return `count` 32-bit numbers of SHAKE-256 over the parts."""
    return iter(struct.unpack(f">{count}I", hashlib.shake_256(framed(*parts)).digest(4 * count)))


def below(bound: int, numbers: Iterator[int]) -> int:
    """Return a number below the bound, all equally likely: unsuitable numbers are rejected."""
    return next(n for n in numbers if n - n % bound + bound <= 2**32) % bound


def canonical_entropy(source: str, text: str, place: str) -> str:
    """Return the witness's entropy in the form that is hashed. Raises Refused."""
    if source == "phrase":
        canonical_text = " ".join(unicodedata.normalize("NFC", text).split())
        length = len(canonical_text.replace(" ", ""))
    else:
        parts = text.translate(str.maketrans(",;-", "   ")).split()
        parts = list("".join(parts)) if source == "dice" else parts
        good = all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts)
        need(good and not (source == "dice" and set(parts) - set("123456")), place, f"not {source}")
        canonical_text, length = " ".join(str(int(part)) for part in parts), len(parts)
    need(length >= LEAST[source], place, "too little to be unpredictable")
    return canonical_text


def drawn(secret: bytes, commitment: bytes, entropy: str, entries: list[str], places: int) -> Any:
    """Return the first places of a Fisher-Yates shuffle."""
    more_than_needed = 4 * places + 1000
    numbers = words(more_than_needed, b"draw/order/1", commitment, secret, entropy.encode())
    order = list(entries)
    for place in range(places):
        other = place + below(len(order) - place, numbers)
        order[place], order[other] = order[other], order[place]
    return order[:places]


def binding(document: dict[str, Any], secret: str) -> str:
    """Return the commitment that binds a secret to a draw's field and to what the witness gives."""
    means = document["means"]
    pieces = "" if means["pieces"] is None else f" {means['pieces']}"
    parts = document["draw"], bytes.fromhex(document["field"]["sha256"]), means["source"] + pieces
    draw, field, means = (part.encode() if isinstance(part, str) else part for part in parts)
    content = framed(b"draw/commitment/1", draw, field, means, bytes.fromhex(secret))
    return hashlib.sha256(content).hexdigest()


def later(instant: str, seconds: int) -> str:
    """Return the instant so many seconds later, in the form of the log."""
    at = datetime.fromisoformat(instant) + timedelta(seconds=seconds)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def check_announced(minutes: Minutes) -> tuple[str, str]:
    """Check that the draw was at the place and time last announced, ten minutes ahead [B16].

    Another place, or an announcement after an announced time had come, needs an inspector's reason,
    before the commitment or with the balls. A later one without it makes no balls void. Return when
    that was announced, and when the draw began.
    """
    announcements, place = minutes["announcements"], f"{MINUTES}.announcements"
    times = [each["announced_at"] for each in announcements]
    need(times == sorted(times), place, "not in their order")
    begun_at = minutes["committed_at"] or minutes["drawn_at"]
    before = [each for each in announcements if each["announced_at"] <= begun_at]
    need(before, place, "missing")
    last, later_ones = before[-1], announcements[len(before) :]
    stand = not any(minutes["committed_at"] or each["elsewhere"] for each in later_ones)
    need(stand, place, "a later one counts")
    need(last["planned_at"] <= begun_at, place, "the draw was before its announced time")
    ahead = later(last["announced_at"], NOTICE_S) <= last["planned_at"]
    need(ahead, place, "not ten minutes ahead")
    same(minutes, {"place": last["place"]}, MINUTES)
    late = any(one["planned_at"] <= next_one["announced_at"] for one, next_one in pairwise(before))
    needed = late or not last["office"]
    need(needed == bool(last["elsewhere"]), place, "at an office and in time, or with a reason")
    if last["elsewhere"]:
        reason = last["elsewhere"]
        need(reason["inspector"] in minutes["attendances"], place, "of one who did not attend")
        latest = minutes["committed_at"] or minutes["entered_at"]
        need(last["announced_at"] <= reason["stated_at"] <= latest, place, "the reason came late")
    return last["announced_at"], begun_at


def of_subject(log: Log, kind: str, minutes: Minutes) -> list[dict[str, Any]]:
    names = "kind", "subject"
    return [each for each in log.all(kind) if all(each[n] == minutes[n] for n in names)]


def check_rejected(log: Log, minutes: Minutes) -> None:
    """Check that the minutes name each order of balls of the subject that does not stand [B16]."""
    place, entered = f"{MINUTES}.rejected", of_subject(log, BALLS, minutes)
    log.in_order(*((BALLS, each["balls"]) for each in entered), (OUTCOME, minutes["draw"]))
    if minutes["method"] == "balls":
        need(entered, place, "the balls that stand were not published when they were entered")
        last, how = entered.pop(), ("draw", "order", "drawn_at", "witness", "cause")
        same(minutes, {name: last[name] for name in how}, MINUTES)
    names = "balls", "order", "entered_at", "entered_by"
    rejected = [{name: each[name] for name in names} for each in minutes["rejected"]]
    others = [{name: each[name] for name in names} for each in entered]
    need(rejected == others, place, "not the orders that were entered and do not stand")


def check_others(log: Log, minutes: Minutes, announced_at: str, begun_at: str) -> None:
    """Check that the subject has no other order, and that any other commitment for it was abandoned
    in public before this draw, with its true secret. It makes no balls void before it [B16]."""
    draw, subject = minutes["draw"], {name: minutes[name] for name in ("kind", "subject")}
    begun = (COMMITMENT if minutes["commitment"] else OUTCOME), draw
    others = [e for e in of_subject(log, COMMITMENT, minutes) if e["draw"] != draw]
    same(minutes, {"abandoned_before": [each["draw"] for each in others]}, MINUTES)
    for each in others:
        other = each["draw"]
        log.in_order((COMMITMENT, other), (ABANDONED, other), begun)
        need(not log.has(OUTCOME, other), f"{ABANDONED}.draw", "it had an order")
        given_up = log.document(ABANDONED, other)
        same(given_up, {"draw": other, "commitment": each["commitment"], **subject}, ABANDONED)
        apart = begun_at < each["committed_at"] or each["committed_at"] < announced_at
        need(apart, f"{ABANDONED}.draw", "announced before that commitment, and drawn after it")
        opened = binding(each, given_up["secret"]) == each["commitment"]
        need(opened, f"{ABANDONED}.secret", "not the one committed to")
    for each in of_subject(log, OUTCOME, minutes):
        need(each["draw"] == draw, f"{OUTCOME}.draw", f"{each['draw']} gave another order")
    fallen = [each["draw"] for each in of_subject(log, CALLED_OFF, minutes)]
    same(minutes, {"called_off_before": fallen}, MINUTES)

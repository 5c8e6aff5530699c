"""Compute random numbers from SHAKE-256, and read a witness's entropy (docs/proofs.md, "Draws").

Used by draw.py, announced.py and emission.py.
"""

import hashlib
import struct
import unicodedata
from collections.abc import Iterator
from typing import Any

from forms import need

LEAST = {"dice": 10, "balls": 6, "phrase": 12}


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


def canonical_entropy(source: str, given: str, place: str) -> str:
    """Return the witness's entropy in the form that is hashed. Raises Refused."""
    if source == "phrase":
        found = " ".join(unicodedata.normalize("NFC", given).split())
        length = len(found.replace(" ", ""))
    else:
        parts = given.translate(str.maketrans(",;-", "   ")).split()
        parts = list("".join(parts)) if source == "dice" else parts
        good = all(part.isascii() and part.isdigit() and len(part) <= 4 for part in parts)
        need(good and not (source == "dice" and set(parts) - set("123456")), place, f"not {source}")
        found, length = " ".join(str(int(part)) for part in parts), len(parts)
    need(length >= LEAST[source], place, "too little to be unpredictable")
    return found


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
    given = means["source"] if means["pieces"] is None else f"{means['source']} {means['pieces']}"
    parts = document["draw"], bytes.fromhex(document["field"]["sha256"]), given
    draw, field, said = (part.encode() if isinstance(part, str) else part for part in parts)
    made = framed(b"draw/commitment/1", draw, field, said, bytes.fromhex(secret))
    return hashlib.sha256(made).hexdigest()

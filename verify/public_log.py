"""Whether a copy of the public log is whole: every entry signed, in one chain, under known keys.

    python public_log.py LOG.jsonl PUBLIC_KEY [PUBLIC_KEY ...]

LOG.jsonl has one entry a line, from the first on: what a receiver was given, or the `items` of
GET /api/v1/log. The first PUBLIC_KEY is the log's first; the others are those that replaced one
lost or stolen, which no signature vouches for. Offline, with the standard library and ed25519.py.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from entry import digest, document, main, need, unhex


def check(file: str, first: str, *others: str) -> str:
    trusted = [unhex(key, 32, "PUBLIC_KEY") for key in (first, *others)]
    lines = Path(file).read_text("utf-8").splitlines()
    return log_holds([json.loads(line) for line in lines], trusted)


def log_holds(entries: list[dict[str, Any]], trusted: list[bytes]) -> str:
    """What was checked. Raises Refused, naming the entry by its number."""
    vouched, key, previous = set(trusted), b"", "00" * 32
    for number, entry in enumerate(entries, start=1):
        place = f"entry {number}"
        need(isinstance(entry, dict) and entry.get("sequence") == number, f"{place}.sequence",
             "missing, added or moved")  # fmt: skip
        kind = entry.get("kind")
        if kind == "proofs.key":
            key = next_key(entry, key, vouched, place)
        document(entry, key, str(kind), place)
        need(entry["previous"] == previous, f"{place}.previous", "not the entry before")
        previous = digest(entry)
        if kind == "proofs.key":
            key = bytes.fromhex(entry["document"]["public_key"])
    return f"WHOLE: {len(entries)} entries; the newest has the digest {previous}"


def next_key(entry: Any, key: bytes, vouched: set[bytes], place: str) -> bytes:
    """Under which key the entry that makes another one known must be signed."""
    said = entry.get("document")
    need(isinstance(said, dict) and said.get("format") == "trot-key-1", f"{place}.document",
         "not trot-key-1")  # fmt: skip
    new = unhex(said.get("public_key"), 32, f"{place}.public_key")
    names = (said.get("key"), said.get("replaces"))
    before = hashlib.sha256(key).hexdigest()[:16] if key else None
    need(names == (hashlib.sha256(new).hexdigest()[:16], before), f"{place}.document",
         "names other keys than it gives and follows")  # fmt: skip
    if said.get("reason") == "rotation" and key:
        vouched.add(new)
        return key
    need(new in vouched, f"{place}.public_key", "nobody vouches for it: not one you gave")
    return new


if __name__ == "__main__":
    main(check, "public_log.py LOG.jsonl PUBLIC_KEY [PUBLIC_KEY ...]")

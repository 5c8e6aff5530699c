"""Check that a copy of the public log is complete: one chain of entries signed by known keys.

    python public_log.py LOG KEYS [HEAD]

LOG has one entry a line, from the first on: as a receiver got them, or the `items` of
GET /api/v1/log. KEYS are public keys in hexadecimal, separated by commas: the log's first key, and
those that replaced a lost or stolen key, which no signature confirms. HEAD is the last line of a
slip: NUMBER:DIGITS, or in quotes as it is printed. The other verifiers read the log through this.
"""

import re
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from documents import ENTRY, KEY, KEY_IN_USE, PUBLISHED, WITHOUT_DIGESTS
from entry import digest, intact, key_name, keys_of, main, parsed, signed
from forms import in_turn, need, shaped

Entry = dict[str, Any]
LATEST = timedelta(hours=1)


class Log:
    """A public log that was checked and is complete."""

    def __init__(self, file: str, keys: str) -> None:
        with Path(file).open(encoding="utf-8", errors="surrogateescape") as lines:
            entries = [parsed(line, f"entry {n}") for n, line in enumerate(lines, start=1)]
        self.verdict = log_holds(entries, keys_of(keys))
        self.entries: dict[tuple[str, str], Entry] = {
            (entry["kind"], entry["subject"]): entry for entry in entries
        }

    def has(self, kind: str, subject: str) -> bool:
        return (kind, subject) in self.entries

    def entry(self, kind: str, subject: str) -> Entry:
        need(self.has(kind, subject), f"{kind} {subject}", "not in the log")
        return self.entries[kind, subject]

    def document(self, kind: str, subject: str) -> dict[str, Any]:
        content: dict[str, Any] = self.entry(kind, subject)["document"]
        return content

    def sequence(self, kind: str, subject: str) -> int:
        return int(self.entry(kind, subject)["sequence"])

    @cached_property
    def documents(self) -> dict[str, list[dict[str, Any]]]:
        by_kind = dict[str, list[dict[str, Any]]]()
        for (kind, _), each in self.entries.items():
            by_kind.setdefault(kind, []).append(each["document"])
        return by_kind

    def all(self, kind: str) -> list[dict[str, Any]]:
        return self.documents.get(kind, [])

    def digest(self, kind: str, subject: str) -> str:
        return digest(self.entry(kind, subject))

    @cached_property
    def instants(self) -> dict[tuple[str, str], str]:
        """The instant before which each entry was not published: its own, and of those before it
        that are dated in turn."""
        own = [each["at"] for each in self.entries.values()]
        dated = [at if turn else "" for at, turn in zip(own, in_turn(own), strict=True)]
        return dict(zip(self.entries, map(max, own, accumulate(dated, max)), strict=True))

    def published_at(self, kind: str, subject: str) -> str:
        return self.entry(kind, subject) and self.instants[kind, subject]

    def dated(self, kind: str, subject: str, name: str) -> None:
        """Refuse an act that was not published within an hour of the instant that it states: what
        is published later may be dated back."""
        stated = datetime.fromisoformat(self.document(kind, subject)[name])
        late = datetime.fromisoformat(self.published_at(kind, subject)) - stated
        need(timedelta() <= late <= LATEST, f"{kind}.{name}", "not when it was published")

    def in_order(self, *entries: tuple[str, str]) -> None:
        """Refuse entries that were not published in this order."""
        numbers = [self.entry(*each)["sequence"] for each in entries]
        for (before, number), (kind, _) in zip(pairwise(numbers), entries[1:], strict=True):
            need(before < number, f"{kind}.sequence", "published too early")


def log_holds(entries: list[Entry], trusted: list[bytes]) -> str:
    """Check all entries and return the result as a text. Raises Refused with the entry's number."""
    need(entries, "LOG", "it has no entry")
    vouched, key, previous = set(trusted), b"", "00" * 32
    subjects: set[tuple[str, str]] = set()
    for number, entry in enumerate(entries, start=1):
        place = f"entry {number}"
        shaped(entry, ENTRY, place)
        need(entry["sequence"] == number, f"{place}.sequence", "missing, added or moved")
        about = kind, _ = entry["kind"], entry["subject"]
        need(about not in subjects, f"{place}.subject", f"there is one {kind} of it already")
        subjects.add(about)
        signer = key
        if kind == "proofs.key":
            signer, key = next_key(entry, key, vouched, place)
        elif kind == "proofs.key_in_use":
            shaped(entry["document"], KEY_IN_USE, f"{place}, {kind}")
            need(entry["document"]["key"] == key_name(key), f"{place}.document.key", "not in use")
        elif kind in PUBLISHED:
            intact(entry["document"], PUBLISHED[kind], f"{place}, {kind}")
        elif kind in WITHOUT_DIGESTS:
            shaped(entry["document"], WITHOUT_DIGESTS[kind], f"{place}, {kind}")
        signed(entry, [signer], place)
        need(entry["previous"] == previous, f"{place}.previous", "not the entry before")
        previous = digest(entry)
    odd = in_turn([entry["at"] for entry in entries]).count(False)
    dated = f"; {odd} DATED OUT OF TURN" if odd else ""
    newest = f"the newest, of {entries[-1]['at']}, has the digest {previous}"
    return f"WHOLE: {len(entries)} entries; {newest}{dated}"


def next_key(entry: Entry, key: bytes, vouched: set[bytes], place: str) -> tuple[bytes, bytes]:
    """Return the key that must sign an entry that publishes a key, and the published key.

    As a subject has one entry of a kind, a key that was replaced never comes back: a person who
    stole it could go on with the log.
    """
    key_document = entry["document"]
    need(entry["subject"] == key_document.get("key"), f"{place}.subject", "not the key")
    place = f"{place}.document"
    shaped(key_document, KEY, place)
    new = bytes.fromhex(key_document["public_key"])
    before = key_name(key) if key else None
    need(key_document["key"] == key_name(new), f"{place}.key", "not of public_key")
    need(key_document["replaces"] == before, f"{place}.replaces", "not the key before")
    is_first = key_document["reason"] == "first"
    need(is_first == (not key), f"{place}.reason", "not the first, or twice")
    if key_document["reason"] == "rotation":
        vouched.add(new)
        return key, new
    need(new in vouched, f"{place}.public_key", "no signature confirms it, and you did not give it")
    return new, new


def check(log: str, keys: str, head: str = "") -> str:
    checked = Log(log, keys)
    if not head:
        return checked.verdict
    number, *parts = re.findall(r"[0-9a-f]+", head.lower()) or [""]
    whole, digits = number.isdecimal(), "".join(parts)
    need(whole and len(digits) >= 16, "HEAD", "NUMBER:DIGITS, with all digits of the slip")
    by_number = {str(entry["sequence"]): entry for entry in checked.entries.values()}
    need(number in by_number, f"entry {number}", "on the slip, and not in the log")
    here = digest(by_number[number])
    need(here.startswith(digits), f"entry {number}", f"{here}, and the slip says {digits}")
    return f"{checked.verdict}; the slip has it as it was at entry {number}"


if __name__ == "__main__":
    main(check, "public_log.py LOG KEYS [HEAD]")

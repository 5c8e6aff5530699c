"""Make copies of the public log with changes, unsigned or signed with the operator's own key.

A liar is consistent: the liar says the same in all documents of the subject, corrects their
digests, signs with the true key, and does so with everything that was published later and refers to
it.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from core.kernel.canonical import canonical_bytes, canonical_sha256, with_digests
from core.proofs import keys
from core.proofs.models import LogEntry, SigningKey
from core.tools.embedded.server import ROOT
from tests.support.verifying.load import verifier
from tests.support.verifying.tamper import Place, changes, lies

VOUCHED = "## What only people vouch for"
Entries = list[dict[str, Any]]
Refused = verifier("forms").Refused


def public_key() -> str:
    return keys.current_public().hex()


def published_log() -> Entries:
    """Return the public log as anybody gets it."""
    entries = LogEntry.objects.select_related("key").order_by("sequence")
    return [entry.published() for entry in entries]


def written(folder: Path, name: str, value: Any) -> str:
    """Write JSON to a file, a list with one entry per line. Return its path."""
    path = folder / name
    lines = value if name.endswith(".jsonl") else [value]
    path.write_text("\n".join(_line(line) for line in lines), "utf-8")
    return str(path)


def _line(value: Any) -> str:
    kept_line = _LINES.get(id(value))
    return json.dumps(value, ensure_ascii=False) if kept_line is None else kept_line[1]


_LINES: dict[int, tuple[Any, str]] = {}
"""The entries of the log that is walked, which nobody changes in place, and their lines."""


def forged(log: Entries, kind: str, lie: dict[str, Any], about: str = "") -> Entries:
    """Return the log with `lie` as the document of the first entry of that kind, or of the one
    `about`.
    """
    entries, new, previous = [], dict[str, str](), "00" * 32
    liar = next(e for e in log if e["kind"] == kind and about in ("", e["subject"]))
    true = liar["document"]
    differences = {name: lie[name] for name in lie.keys() & true.keys() if lie[name] != true[name]}
    for entry in log:
        content = lie if entry is liar else entry["document"]
        if entry["subject"] == liar["subject"] and entry is not liar:
            repeated = {k: v for k, v in differences.items() if content.get(k, v) == true[k]}
            content = content | repeated
        document = json.loads(_replaced(json.dumps(content), new))
        if "digests" in entry["document"]:
            document = with_digests({k: v for k, v in document.items() if k != "digests"})
        changed = entry | {"document": document, "previous": previous}
        if changed == entry:  # as before the lie: the signature, which no chance enters, holds
            entries.append(entry)
            previous = _digest(entry)
            continue
        entries.append(_signed(changed))
        old, previous = (_digest(of_log) for of_log in (entry, entries[-1]))
        new[old] = previous
    return entries


def signed(entry: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return an entry with other fields in its document, as its author would publish it."""
    document = {k: v for k, v in (entry["document"] | changes).items() if k != "digests"}
    return _signed(entry | {"document": with_digests(document)})


def _signed(entry: dict[str, Any]) -> dict[str, Any]:
    body = {name: value for name, value in entry.items() if name != "signature"}
    return body | {"signature": keys.sign(_key(entry["key"]), canonical_bytes(body)).hex()}


@cache
def _key(key_id: str) -> SigningKey:
    """Return the key of that name, which is a digest of its public half: one key in all tests."""
    return SigningKey.objects.get(key_id=key_id)


def _digest(entry: dict[str, Any]) -> str:
    return canonical_sha256({k: v for k, v in entry.items() if k != "signature"}).hex()


def _replaced(text: str, new: dict[str, str]) -> str:
    for old, now in new.items():
        text = text.replace(old, now)
    return text


@dataclass
class Walk:
    """Change every field of every entry that a verifier reads, one by one."""

    log: Entries
    check: Callable[[Entries], str]

    def __post_init__(self) -> None:
        """Make the lines of the log once: each check gets a file in which few are others."""
        _LINES.clear()
        _LINES.update((id(each), (each, json.dumps(each, ensure_ascii=False))) for each in self.log)

    def strangers(self, *kinds: str) -> int:
        """Check that every change by a stranger is refused by its name. Return how many were
        tried.
        """
        tried = 0
        for number, entry in enumerate(self.log):
            for place, other in changes(entry) if entry["kind"] in kinds else ():
                tried += 1
                with pytest.raises(Refused) as refusal:
                    self.check([*self.log[:number], other, *self.log[number + 1 :]])
                    pytest.fail(f"{entry['kind']} {place}")
                reason = str(refusal.value)
                assert all(name in reason for name in names(entry["kind"], place)), place
        return tried

    def liars(self, *kinds: str) -> set[str]:
        """Return the fields in which an operator's lie is not detected, as `kind.field.field`."""
        believed = set()
        for kind in kinds:
            entry = next(each for each in self.log if each["kind"] == kind)
            document = {k: v for k, v in entry["document"].items() if k != "digests"}
            for place, lie in lies(document):
                try:
                    self.check(forged(self.log, kind, lie))
                except Refused:
                    continue
                believed.add(".".join([kind, *filter(_is_field, place)]))
        return believed


def _is_field(step: str | int) -> bool:
    """Return whether the place is a field: not a place in a list, a horse's number or a
    language.
    """
    return isinstance(step, str) and not step.isdigit() and step not in ("ca", "es", "en")


def names(kind: str, place: Place) -> list[str]:
    """Return the name of the document's field, which a refusal must contain."""
    if place[:1] != ("document",) or len(place) == 1:
        return ["entry "]
    field = place[2] if place[1] == "digests" and len(place) > 2 else place[1]
    return [f"{kind}.", f".{field}"]


def quick_signatures(patch: pytest.MonkeyPatch) -> None:
    """Check signatures with the cryptography library, which is faster than verify/ed25519.py.

    The tests of the log check that the two agree. Each signature is checked once.
    """

    @cache
    def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
        except InvalidSignature:
            return False
        return True

    patch.setattr(verifier("entry"), "verify", verify)


def vouched_for(*kinds: str) -> set[str]:
    """Return the fields of these documents for which only people vouch, by docs/proofs/trust.md."""
    page = (ROOT / "docs" / "proofs" / "trust.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", page.partition(VOUCHED)[2], re.MULTILINE)
    fields = {kind: re.findall(r"`([\w.]+)`", names) for kind, names in rows}
    return {f"{kind}.{name}" for kind in kinds for name in fields.get(kind, ())}

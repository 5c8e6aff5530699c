"""Compare the public log with a copy of it that a receiver keeps.

After a restore to an earlier time the copy tells what was published and is not in the database.
"""

import dataclasses
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from core.kernel import documents
from core.kernel.canonical import canonical_bytes, canonical_sha256
from core.kernel.errors import Invalid
from core.proofs import keys, wire
from core.proofs.log import published
from core.proofs.models import LogEntry, SigningKey


class EntryNotSigned(Invalid):
    code = "entry_not_signed"
    message = "An entry of the list is not signed under a key of this system."


@dataclasses.dataclass(frozen=True, slots=True)
class Lacking:
    """An entry of the copy that the log here does not have.

    `elsewhere` is the entry here of that kind and subject, which states something else.
    """

    entry: dict[str, Any]
    elsewhere: int | None


@dataclasses.dataclass(frozen=True, slots=True)
class Comparison:
    """The numbers of the newest entry of the copy, of the log here, and of both; what is lacking.

    `again` counts the entries of the copy that were published here again, under other numbers.
    """

    there: int
    here: int
    both: int
    again: int
    lacking: tuple[Lacking, ...]


def entries_of(copy: Path) -> Iterator[dict[str, Any]]:
    """Yield the entries of a folder or file, in their order. Raises OSError, ValueError.

    A copy without an entry is none: a wrong path would say that nothing is lacking.
    """
    has_entry = False
    files = sorted(copy.glob("*.json")) if copy.is_dir() else [copy]
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    has_entry = True
                    yield _entry(documents.loads(line))
    if not has_entry:
        raise ValueError("it has no entry")


_FORM = {"sequence": int, "kind": str, "subject": str, "document": dict, "signature": str}


def _entry(value: Any) -> dict[str, Any]:
    """Return the entry. One without its parts would be passed over as of another kind."""
    if not isinstance(value, dict) or any(type(value.get(k)) is not _FORM[k] for k in _FORM):
        raise ValueError("a line is no entry")
    return value


def compare(copy: Iterable[dict[str, Any]]) -> Comparison:
    """Return what the copy has, entry by entry, and the log here has not.

    Raises EntryNotSigned; ValueError where an entry is not of the log's form.
    """
    rows = LogEntry.objects.order_by("sequence").values_list("sequence", "digest")
    digests = {sequence: bytes(digest) for sequence, digest in rows.iterator()}
    there = both = again = 0
    lacking = []
    for entry in copy:
        sequence = entry["sequence"]
        there = max(there, sequence)
        if canonical_sha256(_body(entry)) == digests.get(sequence):
            both = max(both, sequence)
            continue
        need_signed(entry)
        same = published(kind=entry["kind"], subject=entry["subject"])
        if same is not None and same.document == entry["document"]:
            again += 1
        else:
            lacking.append(Lacking(entry, same.sequence if same else None))
    return Comparison(there, max(digests, default=0), both, again, tuple(lacking))


def need_signed(entry: dict[str, Any]) -> None:
    """Raise EntryNotSigned unless a key of this database, or of its settings, signed the entry."""
    public_keys = {
        bytes(public) for public in SigningKey.objects.values_list("public_key", flat=True)
    }
    by_id = {wire.key_id(public): public for public in public_keys | keys.held_public()}
    public = by_id.get(str(entry.get("key")))
    try:
        signature = bytes.fromhex(entry["signature"])
    except (KeyError, TypeError, ValueError) as error:
        raise EntryNotSigned(sequence=entry.get("sequence")) from error
    if public is None or not keys.signed(
        SigningKey(public_key=public), canonical_bytes(_body(entry)), signature
    ):
        raise EntryNotSigned(sequence=entry.get("sequence"))


def _body(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != "signature"}

"""Read the public log."""

from django.db.models import QuerySet

from core.kernel.errors import NotFound
from core.proofs.models import LogEntry, SigningKey


class EntryUnknown(NotFound):
    code = "entry_unknown"
    message = "The public log has no such entry."


def entries(*, kind: str = "", subject: str = "") -> QuerySet[LogEntry]:
    """Return the entries, of that kind and about that subject where given."""
    rows = LogEntry.objects.select_related("key")
    if kind:
        rows = rows.filter(kind=kind)
    return rows.filter(subject=subject) if subject else rows


def entry_get(sequence: int) -> LogEntry:
    """Return one entry. Raises EntryUnknown."""
    entry = entries().filter(sequence=sequence).first()
    if entry is None:
        raise EntryUnknown(sequence=sequence)
    return entry


def newest_entry() -> LogEntry:
    """Return the newest entry. Raises EntryUnknown while nothing has been published."""
    entry = entries().order_by("-sequence").first()
    if entry is None:
        raise EntryUnknown
    return entry


def head_digest() -> bytes:
    """Return the digest of the newest entry, which says all that the log holds; b"" if empty."""
    newest = LogEntry.objects.order_by("-sequence").values_list("digest", flat=True).first()
    return bytes(newest) if newest is not None else b""


def signing_keys() -> list[SigningKey]:
    """Return every key, in the order of the entries that introduced them."""
    return list(SigningKey.objects.order_by("first_sequence"))

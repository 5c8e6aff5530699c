"""Reading the public log."""

from django.db.models import QuerySet

from core.kernel.errors import NotFound
from core.proofs.models import LogEntry, SigningKey


class EntryUnknown(NotFound):
    code = "entry_unknown"
    message = "The public log has no such entry."


def entries(*, kind: str = "", subject: str = "") -> QuerySet[LogEntry]:
    """The entries, of that kind and about that subject where given."""
    found = LogEntry.objects.select_related("key")
    if kind:
        found = found.filter(kind=kind)
    return found.filter(subject=subject) if subject else found


def entry_get(sequence: int) -> LogEntry:
    """Raises EntryUnknown."""
    found = entries().filter(sequence=sequence).first()
    if found is None:
        raise EntryUnknown(sequence=sequence)
    return found


def newest_entry() -> LogEntry:
    """Raises EntryUnknown while nothing has been published."""
    found = entries().order_by("-sequence").first()
    if found is None:
        raise EntryUnknown
    return found


def signing_keys() -> list[SigningKey]:
    """Every key there was, in the order of the entries that made them known."""
    return list(SigningKey.objects.order_by("first_sequence"))

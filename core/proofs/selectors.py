"""Read the public log."""

import dataclasses
import datetime

from django.db.models import QuerySet

from core.kernel.errors import NotFound
from core.proofs.models import LogEntry, SigningKey

RETIREMENT = "periods.retired"
"""The kind of the entries that name rows which left the live store (docs/proofs/retired.md)."""


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


def retired_rows(table: str) -> list[range]:
    """Return the ids of a table's rows that were retired, in ranges that do not meet.

    Two persons retire rows of a closed and archived period (`core.periods.archive`). The log names
    their ids, so another row that is missing as well is noticed.
    """
    published = LogEntry.objects.filter(kind=RETIREMENT).values_list("document", flat=True)
    named = sorted(
        (entry["first_row"], entry["last_row"])
        for document in published
        for entry in document["tables"]
        if entry["table"] == table
    )
    ranges: list[range] = []
    for first, last in named:
        if ranges and first <= ranges[-1].stop:
            ranges[-1] = range(ranges[-1].start, max(last + 1, ranges[-1].stop))
        else:
            ranges.append(range(first, last + 1))
    return ranges


@dataclasses.dataclass(frozen=True, slots=True)
class RetiredRange:
    """A range of a table's rows, as its retirement was published.

    Of `rows` rows `leaves` leave; `staying_sha256` is the digest of the journal's entries of the
    others, in the order of keys. `batch` is the last one of the journal that the month has. Every
    row of the table that the batches up to `last_batch` sealed is of this range, or of an earlier
    one.
    """

    month: str
    first_row: int
    last_row: int
    rows: int
    leaves: int
    staying_sha256: str
    batch: int
    last_batch: int


def retired_ranges(table: str) -> list[RetiredRange]:
    """Return the ranges of a table's rows that were retired, in the order of retirements."""
    published = LogEntry.objects.filter(kind=RETIREMENT).order_by("sequence")
    return [
        RetiredRange(
            month=document["first_day"][:7],
            first_row=entry["first_row"],
            last_row=entry["last_row"],
            rows=entry["rows"],
            leaves=entry["leaves"],
            staying_sha256=entry["staying_sha256"],
            batch=document["journal"]["batch"],
            last_batch=entry["last_batch"],
        )
        for document in published.values_list("document", flat=True)
        for entry in document["tables"]
        if entry["table"] == table
    ]


def retired_until(table: str) -> datetime.date | None:
    """Return the last day of the months of which rows of a table left; None if none did."""
    published = LogEntry.objects.filter(kind=RETIREMENT).order_by("-sequence")
    for document in published.values_list("document", flat=True).iterator(chunk_size=1):
        if any(entry["table"] == table and entry["leaves"] for entry in document["tables"]):
            return datetime.date.fromisoformat(document["last_day"])
    return None


class Retired:
    """The rows of a table that were retired: `row in Retired(table)`.

    The log is asked again about a row that it did not name: a retirement may have been published,
    and its rows deleted, since.
    """

    def __init__(self, table: str) -> None:
        self._table = table
        self._known: list[range] = []

    def __contains__(self, row: int | None) -> bool:
        if not any(row in each for each in self._known):
            self._known = retired_rows(self._table)
        return any(row in each for each in self._known)


class RetiredBatches:
    """The batches of the journal whose entries may have left: `number in RetiredBatches()`.

    The log is asked again about a batch after the last one that it named.
    """

    def __init__(self) -> None:
        self._last = 0

    def __contains__(self, number: int) -> bool:
        if number > self._last:
            published = LogEntry.objects.filter(kind=RETIREMENT).values_list("document", flat=True)
            self._last = max((int(each["journal"]["batch"]) for each in published), default=0)
        return number <= self._last


class RetiredBlocks:
    """The batches of which a table's sealed entries may be gone together with their rows
    (docs/adr/0055).

    For a batch behind the last one that it knows, the log is read again.
    """

    def __init__(self, table: str) -> None:
        self._table = table
        self._known: list[RetiredRange] = []

    def rows_of(self, batch: int) -> list[range] | None:
        """Return the ranges of the table's rows that a batch may have; None if its entries must be
        there.
        """
        if not any(batch <= each.last_batch for each in self._known):
            self._known = retired_ranges(self._table)
        ranges: list[range] = []
        for each in self._known:
            ranges.append(range(each.first_row, each.last_row + 1))
            if batch <= each.last_batch:
                return ranges
        return None

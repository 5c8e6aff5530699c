"""Retire rows of an archived period: two persons decide, the public log tells, a night deletes.

The rows must be those of the archive and those that the journal sealed. All of them are read for
it when the retirement is confirmed, which is long work (`core.longwork`) and no request. What is
published names them by table and id; the journal accepts that these are gone
(`core.proofs.selectors`), and the database lets these be deleted and no others (`removing`).
"""

import hashlib
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Max

from core.database import clock
from core.database.locks import MOVEMENTS, Lock, hold
from core.database.reading import progress
from core.database.reading.asking import fetch_value
from core.journal import rows
from core.journal.install import Journaled, journaled
from core.journal.models import Batch, Change
from core.journal.retired.staying import parts
from core.journal.spans import Part, part_that_sealed, tables_of
from core.journal.verifying import batch_findings, table_findings
from core.kernel import request_uuids
from core.kernel.canonical import Json
from core.kernel.errors import Conflict, Invalid, InvariantBroken
from core.periods import powers
from core.periods.archive.entries import BLOCKS, staying_sha256
from core.periods.archive.files import batch_before, entry_bytes, row_lines, span_of
from core.periods.archive.opening import (
    OPENING,
    TRANSFERS,
    balances_hold,
    opening_document,
    opening_write,
)
from core.periods.archive.tables import ArchiveTable, archive_tables, retiring_tables
from core.periods.archive.writing import PeriodNotClosed, PeriodRetired
from core.periods.models import Archive, ClosedPeriod, RetiredRows, Retirement
from core.proofs.log import publish
from core.proofs.selectors import RETIREMENT as ENTRY
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal

FORMAT = "trot-retirement-1"
MOST_HELD = 1_000
"""Rows that hold a retirement back are counted up to so many: a request waits for it."""


class PeriodNotArchived(Conflict):
    code = "period_not_archived"
    message = "That month has no archive yet, or one before it is not retired."


class PlaceMissing(Invalid):
    code = "place_missing"
    message = "Say where the copies of the archive are kept."


class MonthTooRecent(Conflict):
    """`data["from"]` is from when on the month can be retired."""

    code = "month_too_recent"
    message = "That month ended less than a week ago; requests of it may still be repeated."


class RightStands(Conflict):
    """`data["rows"]` is how many rows it holds back, by table, as far as they are counted."""

    code = "right_stands"
    message = "Somebody may still have a right on what that month sold."


class RowsNotAsArchived(InvariantBroken):
    """`data["table"]` is the first table that differs from its archive, or from the journal."""

    code = "rows_not_as_archived"
    message = "The rows are not as they were archived and sealed; nothing is retired."


@transaction.atomic
def retirement_propose(*, by: StaffActor, number: int, kept: str) -> Proposal:
    """Propose to retire a period by its number; `kept` says where copies of its archive are.

    Raises PowerMissing, PeriodNotClosed, PeriodRetired, PeriodNotArchived, PlaceMissing,
    MonthTooRecent, RightStands, ProposalPending.
    """
    by.need(powers.RETIRE)
    if not kept.strip():
        raise PlaceMissing
    archive = _retirable(number)
    return two_persons.propose(
        kind=RETIREMENT,
        subject=f"period:{archive.period}",
        by=by,
        content={
            "number": number,
            "first_day": archive.period.first_day.isoformat(),
            "last_day": archive.period.last_day.isoformat(),
            "kept": kept.strip()[:400],
            "sha256": archive.sha256,
        },
    )


def _retirable(number: int) -> Archive:
    """Return the archive of a period whose rows nobody has a right on, and which is the next.

    Raises PeriodNotClosed, PeriodRetired, PeriodNotArchived, MonthTooRecent, RightStands.
    """
    period = ClosedPeriod.objects.filter(number=number).first()
    if period is None:
        raise PeriodNotClosed(number=number)
    if Retirement.objects.filter(period=period).exists():
        raise PeriodRetired(first_day=period.first_day.isoformat())
    archive = Archive.objects.filter(period=period).select_related("period").first()
    if archive is None or number != Retirement.objects.count() + 1:
        raise PeriodNotArchived(first_day=period.first_day.isoformat())
    earliest = period.ends_at + request_uuids.RETIRED_AFTER
    if clock.now() < earliest:
        raise MonthTooRecent(**{"from": earliest.isoformat()})
    for table in archive_tables():
        _need_free(table, archive)
    return archive


def _need_whole(archive: Archive) -> None:
    """Raise RowsNotAsArchived unless every row is that of the archive and of the journal."""
    covered = {table.name: table for table in journaled()}
    tables = retiring_tables()
    with rows.ready():
        for number, table in enumerate(tables, start=1):
            progress.step(table.name, number, len(tables) + 1)
            _need_as_archived(table, covered[table.name], archive)
        progress.step(BLOCKS, len(tables) + 1, len(tables) + 1)
        _need_entries_archived(archive)
        _need_as_sealed(archive.period)


def _need_entries_archived(archive: Archive) -> None:
    """Raise RowsNotAsArchived unless the journal's blocks are those of the archive."""
    (table,) = (table for table in archive_tables() if table.name == BLOCKS)
    span = {
        "after_batch": batch_before(archive.period),
        "last_batch": archive.period.last_batch,
    }
    digest = hashlib.sha256()
    for _, _, line in row_lines(table, None, table.where, span):
        digest.update(line.encode() + b"\n")
    entry = archive.table(BLOCKS)
    if entry is None or entry["sha256"] != digest.hexdigest():
        raise RowsNotAsArchived(table=BLOCKS)


def _need_as_sealed(period: ClosedPeriod) -> None:
    """Raise RowsNotAsArchived unless each row that the month's batches sealed is as it was sealed.

    From then on these rows prove themselves, by the digests of their blocks.
    """
    numbers = batch_before(period), period.last_batch
    since, until = (Batch.objects.filter(pk=number).first() for number in numbers)
    if until is None:
        return
    part = Part(since, until)
    if any(batch_findings(part)):
        raise RowsNotAsArchived(table=BLOCKS)
    tables = tables_of(part, {table.name for table in rows.written_to(part.span())})
    part = part.read()
    for number, table in enumerate(tables):
        progress.tell(number, len(tables))
        if any(table_findings(table, part)):
            raise RowsNotAsArchived(table=table.name)


def _range_of(table: ArchiveTable, archive: Archive) -> dict[str, Any]:
    """Return what the archive has of a table; no rows, if it does not have the table."""
    entry = archive.table(table.name)
    if entry is None or entry["retires"] is None:
        return {"first_row": 1, "last_row": 0, "rows": 0, "entries_sha256": ""}
    return dict(entry["retires"])


def _ends(span: dict[str, Any]) -> dict[str, int]:
    return {name: span[f"{name}_row"] for name in ("first", "last")}


def _need_free(table: ArchiveTable, archive: Archive) -> None:
    """Raise RightStands if a row of the archive holds back its retirement."""
    if not table.held:
        return
    of_archive = table.where
    if table.retires:
        of_archive = f"t.{table.key} BETWEEN %(first_row)s AND %(last_row)s"
    held = fetch_value(
        f'SELECT count(*) FROM (SELECT FROM "{table.name}" t WHERE ({table.held})'
        f" AND {of_archive} LIMIT {MOST_HELD}) held",
        {**span_of(archive.period), **_range_of(table, archive)},
    )
    if held:
        raise RightStands(rows={table.name: held})


def _need_as_archived(table: ArchiveTable, covered: Journaled, archive: Archive) -> None:
    """Raise RowsNotAsArchived unless the rows are those of the archive and of the journal."""
    span = _range_of(table, archive)
    count, digest, first_xid, last_xid = 0, hashlib.sha256(), 2**63 - 1, 0
    where = f"t.{table.key} BETWEEN %(first_row)s AND %(last_row)s"
    for xid, row, line in row_lines(table, covered, where, span):
        count, first_xid, last_xid = count + 1, min(first_xid, xid), max(last_xid, xid)
        if count % 1000 == 0:
            progress.tell(count, span["rows"])
        digest.update(entry_bytes(xid, row, line.encode()))
    if (count, digest.hexdigest() if count else "") != (
        span["rows"],
        span["entries_sha256"] if count else "",
    ):
        raise RowsNotAsArchived(table=table.name)
    if count and any(table_findings(covered, _part_of(table, span, first_xid, last_xid))):
        raise RowsNotAsArchived(table=table.name)


def _part_of(table: ArchiveTable, span: dict[str, Any], first_xid: int, last_xid: int) -> Part:
    """Return the part of the journal that sealed rows of these transactions and their changes.

    The journal after it, which may be that of years, has nothing of these rows.
    """
    changes = Change.objects.filter(
        relation=table.name, row_id__range=(span["first_row"], span["last_row"])
    )
    changed = changes.aggregate(last=Max("xid"))["last"]
    return part_that_sealed(first_xid, max(last_xid, changed or 0))


def _retire(proposal: Proposal, by: StaffActor) -> None:
    """Publish and record the retirement, of the rows as they were proposed.

    Raises PeriodNotClosed, PeriodRetired, PeriodNotArchived, MonthTooRecent, RightStands,
    RowsNotAsArchived.
    """
    hold((Lock.PERIOD, 0))
    content = proposal.content
    archive = _retirable(content["number"])
    if archive.sha256 != content["sha256"]:
        raise RowsNotAsArchived(sha256=archive.sha256)
    _need_whole(archive)
    period = archive.period
    if not balances_hold(period):
        raise RowsNotAsArchived(table=OPENING)
    spans = _spans(archive)
    hold((Lock.STATEMENT, MOVEMENTS))  # the rows below ask for it, and the log's lock is the last
    named: list[Json] = [
        {"table": name, **span} for name, span in sorted(spans.items()) if span["rows"]
    ]
    entry = publish(
        kind=ENTRY,
        subject=f"period:{period}",
        document={
            "format": FORMAT,
            "number": period.number,
            "first_day": period.first_day.isoformat(),
            "last_day": period.last_day.isoformat(),
            "archive_sha256": archive.sha256,
            "kept": content["kept"],
            "journal": period.document["journal"],
            "openings": opening_document(
                spans[TRANSFERS]["first_row"], spans[TRANSFERS]["last_row"]
            ),
            "tables": named,
        },
    )
    retirement = Retirement.objects.create(
        period=period,
        archive=archive,
        kept=content["kept"],
        proposal=proposal,
        entry=entry,
        retired_at=clock.now(),
    )
    names = {"rows": "count", "entries_sha256": "sha256"}
    RetiredRows.objects.bulk_create(
        RetiredRows(
            retirement=retirement,
            relation=name,
            **{names.get(field, field): value for field, value in span.items()},
        )
        for name, span in spans.items()
        if span["rows"]
    )
    opening_write(retirement)


def _spans(archive: Archive) -> dict[str, dict[str, Any]]:
    """Return what is retired of each table: what the archive has, and which rows stay."""
    spans = {table.name: _range_of(table, archive) for table in retiring_tables()}
    for table in retiring_tables():
        span = spans[table.name]
        ranges = list(parts(table.name, table.key, **_ends(span)))
        span["leaves"] = _leaves(table, ranges)
        span["staying_sha256"] = staying_sha256(table, ranges)
        last = _LAST_BATCH, table.name, span["last_row"], archive.period.last_batch
        span["last_batch"] = number(*last)
    return spans


RETIREMENT = two_persons.Kind(
    "periods.retirement",
    powers.RETIRE,
    _retire,
    second=powers.CONFIRM,
    good_for=two_persons.A_WEEK,
    long=True,
)


LEAVING = "SELECT periods_leaving(p_relation => %s, p_first => %s, p_last => %s)"
_LAST_BATCH = "SELECT periods_last_batch(p_relation => %s, p_last => %s, p_until => %s)"


def _leaves(table: ArchiveTable, ranges: Iterable[tuple[int, int]]) -> int:
    """Return how many rows of ranges leave; the others stay for good."""
    return sum(number(LEAVING, table.name, first, last) for first, last in ranges)


def number(query: str, *values: str | int) -> int:
    """Call a function of the database; return the number that it returns."""
    return int(fetch_value(query, values))

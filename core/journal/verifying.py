"""Verify the journal, and find where it or the rows that it covers were changed.

Nothing here trusts the database's triggers, which its owner can disable. Each batch must follow
from its blocks and the batch before, under a signature. Each published checkpoint must name a batch
that exists. Each row must match its entry. Each change must follow from the change before.
"""

import dataclasses
import enum
import hashlib
import re
from collections.abc import Collection, Iterator
from datetime import UTC, datetime
from itertools import chain, islice

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Sum

from core.database.reading import progress
from core.database.reading.snapshot import only_reading
from core.journal import lineages, rows, rules, spans, wire
from core.journal.install import COLUMN, Journaled, unjournaled
from core.journal.models import Act, Batch, Block
from core.journal.retired.left import Left, sealed_entries, wrong_entries
from core.journal.retired.staying import retired_differs
from core.journal.services import CHECKPOINT, checkpoint_document
from core.journal.spans import WHOLE, Part, compared, in_order, stretches, tables_of
from core.kernel.canonical import Json, canonical_bytes
from core.proofs.models import LogEntry
from core.proofs.selectors import Retired, RetiredBatches, RetiredBlocks


class Fault(enum.StrEnum):
    """A kind of fault that verifying finds."""

    BATCH = "batch_broken"
    CHECKPOINT = "checkpoint_broken"
    ROW_CHANGED = "row_changed"
    ROW_REMOVED = "row_removed"
    ROW_ADDED = "row_added"
    ROWS_DIFFER = "rows_differ"
    ROW_WITHOUT_ACT = "row_without_act"
    ACT_UNNAMED = "act_unnamed"
    TRIGGER = "trigger_missing"
    FORM = "form_lost"
    RULE = "rule_broken"
    UNBEGUN = "lineage_not_begun"
    LINEAGE = "lineage_broken"


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One place that was changed. `detail` is for people; the other fields name the place."""

    what: Fault
    detail: str
    batch: int | None = None
    table: str = ""
    row: int | None = None
    xid: int | None = None
    rule: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Verification:
    """The result of verifying: `findings` are the first ones, up to the number asked for."""

    batches: int
    entries: int
    findings: list[Finding]
    is_cut: bool


@only_reading()
@rows.ready()
def verify(
    *,
    most: int = 1000,
    tables: Collection[str] = (),
    since: int | None = None,
    until: int | None = None,
) -> Verification:
    """Read the journal and every row once; return everything that is wrong, up to `most` findings.

    With `tables`, verify only the rows and rules of those tables. `since` is the number of a batch
    that was verified before: verify only the batches after it, the rows that they sealed, and the
    rules for these rows. With `until`, verify no batch after that one. The counts are of the
    verified batches.
    """
    part = Part(_batch_of(since), _batch_of(until))
    findings = list(islice(_all(tables, part), most + 1))
    sums = part.batches().aggregate(batches=Count("number"), entries=Sum("entries"))
    return Verification(
        sums["batches"], sums["entries"] or 0, findings[:most], len(findings) > most
    )


def _batch_of(number: int | None) -> Batch | None:
    return Batch.objects.filter(pk=number).first() if number else None


def _all(tables: Collection[str], part: Part) -> Iterator[Finding]:
    yield from chain(_lineages(), batch_findings(part), _checkpoints(part), _triggers())
    filled = {table.name for table in rows.written_to(part.span())}
    chosen = [t for t in tables_of(part, filled) if not tables or t.name in tables]
    part = part.read()
    for done, table in enumerate(chosen):
        progress.tell(done, len(chosen))
        yield from table_findings(table, part)
    yield from chain(_unnamed(part), _rules(tables, part, filled))


def table_findings(table: Journaled, part: Part = WHOLE) -> Iterator[Finding]:
    """Yield what is wrong with the rows of a table, or with those of a part of the journal.

    Needs `rows.ready` before.
    """
    yield from chain(_rows(table, part), _changes(table, part), _without_act(table, part))


def _lineages() -> Iterator[Finding]:
    """Yield what is wrong with the lineages, also that the newest one has not begun."""
    missing = lineages.unbegun()
    if missing:
        yield Finding(Fault.UNBEGUN, str(missing), xid=missing.used)
    for batch, detail in lineages.faults():
        yield Finding(Fault.LINEAGE, detail, batch=batch)


# --- Batches --------------------------------------------------------------------------------------


def batch_findings(part: Part = WHOLE) -> Iterator[Finding]:
    """Yield what is wrong with the chain of batches itself, or with a part of it."""
    since = part.since
    previous, end, number, retired = wire.NOTHING_BEFORE, 0, 1, RetiredBatches()
    if since is not None:
        previous, end, number = bytes(since.digest), since.end_xid, since.number + 1
    sealed_at = since.sealed_at if since else datetime.min.replace(tzinfo=UTC)
    for batch in part.batches().select_related("key").order_by("number").iterator():
        if batch.number != number:
            yield _broken(number, f"batches {number} to {batch.number - 1} are gone")
        elif bytes(batch.previous) != previous:
            yield _broken(number, "it does not follow from the batch before")
        if batch.first_xid != end:
            yield _broken(number, "its transactions do not begin where the last batch ended")
        yield from _batch(batch, retired)
        if batch.sealed_at < sealed_at:
            yield _broken(number, "it was sealed before the batch before it")
        sealed_at = batch.sealed_at
        previous, end, number = bytes(batch.digest), batch.end_xid, batch.number + 1
    for number in spans.not_in_force(part):
        yield _broken(number, "its key was not in force when it was sealed")
    if part.until is not None and number != part.until.number + 1:
        yield _broken(number, f"batches {number} to {part.until.number} are gone")
    # One statement, because another batch may be sealed meanwhile.
    stray = part.blocks().exclude(Exists(Batch.objects.filter(pk=OuterRef("batch_id"))))
    for batch_id in sorted(set(stray.values_list("batch_id", flat=True))):
        yield _broken(batch_id, "its head is gone, but its blocks are there")


def _broken(batch: int, detail: str) -> Finding:
    return Finding(Fault.BATCH, f"batch {batch}: {detail}", batch=batch)


def _batch(batch: Batch, retired: RetiredBatches) -> Iterator[Finding]:
    """Compare a batch's head, digest and signature with its blocks."""
    heads: list[list[Json]] = []
    entries = 0
    blocks = Block.objects.filter(batch_id=batch.pk).select_related("row_form").order_by("position")
    is_small = batch.entries <= spans.MOST_SORTED
    one_by_one = blocks if is_small else blocks.iterator(chunk_size=16)
    for place, block in enumerate(one_by_one, start=1):
        if block.position != place:
            yield _broken(batch.pk, f"block {place} is gone")
        wrong = wrong_entries(block, retired)
        if wrong:
            yield _broken(batch.pk, f"the entries of block {block.position} {wrong}")
        form = wire.form_digest(block.row_form.relation, block.row_form.columns)
        heads.append(wire.block_head(form, block.rows, bytes(block.sha256)))
        entries += block.rows
    message = canonical_bytes(batch.head(heads))
    if entries != batch.entries:
        yield _broken(batch.pk, f"it has {entries} entries and says {batch.entries}")
    if hashlib.sha256(message).digest() != bytes(batch.digest):
        yield _broken(batch.pk, "its digest is not that of its head and blocks")
    if not signed(bytes(batch.key.public_key), message, bytes(batch.signature)):
        yield _broken(batch.pk, "its signature is not of its head")


def signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether the Ed25519 signature of the message was made with that public key."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _checkpoints(part: Part) -> Iterator[Finding]:
    """Compare every published checkpoint with the journal, or those published in its part."""
    published = LogEntry.objects.filter(kind=CHECKPOINT)
    if part.since is not None:
        published = published.filter(at__gte=part.since.sealed_at)
    if part.until is not None:
        published = published.filter(at__lte=part.until.sealed_at)
    for entry in published.order_by("sequence").iterator():
        number = entry.document.get("batch")
        batch = Batch.objects.filter(pk=number).first()
        place = f"checkpoint of {entry.at.isoformat()}"
        if batch is None:
            yield Finding(Fault.CHECKPOINT, f"{place}: its batch {number} is gone", batch=number)
        elif checkpoint_document(batch) != entry.document:
            detail = f"{place}: batch {number} is not what was published"
            yield Finding(Fault.CHECKPOINT, detail, batch=number)


# --- Rows -----------------------------------------------------------------------------------------


def _rows(table: Journaled, part: Part) -> Iterator[Finding]:
    """Compare every row with its entry, in order. One that was retired need not be there."""
    retired = Retired(table.name)
    blocks = RetiredBlocks(table.name) if table.retires else None
    for stretch in stretches(table, part):
        gone = set(stretch.form.columns) - set(there := rows.present_columns(table))
        if gone:
            yield Finding(
                Fault.FORM,
                f"{table.name}: without {sorted(gone)} its rows of batches"
                f" {stretch.first_batch} to {stretch.last_batch} cannot be compared",
                table=table.name,
            )
            continue
        left = Left(blocks)
        sealed = in_order(sealed_entries(table, stretch, left), stretch)  # finds what left
        of = table, stretch.form.columns, stretch.span, there
        entries = rows.entries(*of, is_small=stretch.is_small)
        present = left.others(in_order(entries, stretch), stretch)
        differences = chain(compared(sealed, present), left.named(table, stretch.form, retired))
        for what, entry, batch in differences:
            if what != Fault.ROW_REMOVED or entry.row not in retired:
                yield row_finding(Fault(what), table, entry, batch)
        for number, position in left.otherwise:
            yield _broken(number, f"what is kept of block {position} is not of its rows")
        for number, were, are in left.differing():
            yield Finding(
                Fault.ROWS_DIFFER,
                f"batch {number}, {table.name}: {were} rows were sealed, {are} are there, not all"
                " as they were; once archived, their month's files name them: period_rows",
                batch=number,
                table=table.name,
            )
    for detail in retired_differs(table, part):
        yield Finding(Fault.ROWS_DIFFER, f"{table.name} {detail}", table=table.name)


_WORDS = {
    Fault.ROW_CHANGED: "is not as it was written",
    Fault.ROW_REMOVED: "is gone, or no longer says which transaction wrote it",
    Fault.ROW_ADDED: "is in no batch, though its transaction was sealed",
    Fault.ROW_WITHOUT_ACT: "was written without the journal: its transaction has no act",
}


def row_finding(what: Fault, table: Journaled, entry: wire.Entry, batch: int | None) -> Finding:
    """Return what is told of one row; `batch` is the one that sealed it."""
    where = f"batch {batch}, " if batch else ""
    return Finding(
        what,
        f"{where}{table.name} {entry.row}, transaction {entry.xid}: {_WORDS[what]}",
        batch=batch,
        table=table.name,
        row=entry.row,
        xid=entry.xid,
    )


# --- Changes and acts -----------------------------------------------------------------------------

_STEPS = """
WITH step AS (
    SELECT c.row_id, c.journal_xid AS xid, e.key, e.value AS before, c.after -> e.key AS after,
           lag(c.after -> e.key) OVER w AS left_at, lead(c.id) OVER w AS next
      FROM journal_change c, jsonb_each(c.before) e
     WHERE c.relation = '{table}' AND c.row_id IN (
           SELECT row_id FROM journal_change o WHERE o.relation = '{table}'
              AND o.journal_xid >= {first} AND o.journal_xid < {end})
    WINDOW w AS (PARTITION BY c.row_id, e.key ORDER BY c.id))
SELECT row_id, xid, key, 'before' FROM step WHERE left_at <> before
UNION ALL
SELECT s.row_id, s.xid, s.key, 'since' FROM step s
  JOIN "{table}" t ON t."{key}" = s.row_id
 WHERE s.next IS NULL AND {image} -> s.key IS DISTINCT FROM s.after
ORDER BY 1, 2, 3
"""


def _changes(table: Journaled, part: Part) -> Iterator[Finding]:
    """Check that each change starts where the column's last one ended, and that the row agrees.

    In a part, it is done for the rows that were changed in it, with all their changes.
    """
    if not table.changing:
        return
    image = rows.image_sql(table)
    query = _STEPS.format(
        table=table.name,
        key=table.key,
        image=image,
        first=part.first_xid,
        end=part.end_xid,
    )
    with connection.cursor() as cursor:
        cursor.execute(query)
        for row, xid, column, when in cursor:
            yield Finding(
                Fault.ROW_CHANGED,
                f"{table.name} {row}: {column} was changed without the journal,"
                f" {when} transaction {xid}",
                table=table.name,
                row=row,
                xid=xid,
            )


def _without_act(table: Journaled, part: Part) -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT t.{COLUMN}, t."{table.key}" FROM "{table.name}" t'
            f" WHERE t.{COLUMN} >= {part.first_xid} AND t.{COLUMN} < {part.end_xid} AND NOT EXISTS"
            f" (SELECT FROM journal_act a WHERE a.{COLUMN} = t.{COLUMN}) ORDER BY 1, 2"
        )
        for xid, row in cursor:
            yield row_finding(Fault.ROW_WITHOUT_ACT, table, wire.Entry(xid, row, b""), None)


def _unnamed(part: Part) -> Iterator[Finding]:
    """Yield the acts of the application that do not say who acted."""
    acts = Act.objects.filter(source__name="", xid__gte=part.first_xid, xid__lt=part.end_xid)
    for act in acts.select_related("source").order_by("xid").iterator():
        yield Finding(
            Fault.ACT_UNNAMED,
            f"transaction {act.xid}, {act.at.isoformat()}: {act.database_role}"
            " wrote without saying who or why",
            xid=act.xid,
        )


def _act_in_words(xid: int) -> str:
    """Return when an act was, by which role of the database, and the name that it gave itself."""
    act = Act.objects.select_related("source").get(xid=xid)
    called = f"the act {act.name!r}" if act.name else "an act without a name"
    return f"{called} of {act.at.isoformat()}, by the role {act.database_role}"


def _triggers() -> Iterator[Finding]:
    """Yield the tables without the journal's triggers."""
    with connection.cursor() as cursor:
        without_triggers = unjournaled(cursor)
    for name in without_triggers:
        yield Finding(Fault.TRIGGER, f"{name}: its trigger is disabled or missing", table=name)


def _rules(tables: Collection[str], part: Part, filled: Collection[str]) -> Iterator[Finding]:
    """Yield what breaks a rule. `filled` are the tables that have rows of the part."""
    for rule in rules.rules():
        if rule.is_of_each_row and rule.table not in filled:
            continue
        if tables and not any(re.search(rf"\b{name}\b", rule.query) for name in tables):
            continue
        for table, row, xid in rules.broken(rule, first=part.first_xid, end=part.end_xid):
            place = _act_in_words(xid) if table == Act._meta.db_table else f"{table} {row}"
            yield Finding(
                Fault.RULE,
                f"{place}, transaction {xid}: {rule.says} ({rule.name})",
                table=table,
                row=row,
                xid=xid,
                rule=rule.name,
            )

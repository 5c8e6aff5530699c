"""Verifying the whole journal: where it, or the rows it stands for, have been touched.

Nothing here trusts the database's triggers, which its owner can disable. A batch must follow from
its blocks and the batch before, under a signature; published checkpoints must name batches that
are there; every row must be as its entry says, and every change follow from the one before.
"""

import dataclasses
import enum
import hashlib
import re
from collections.abc import Collection, Iterator
from itertools import chain, islice

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.db import connection, transaction
from django.db.models import Count, Exists, OuterRef, Sum

from core.journal import rows, rules, wire
from core.journal.install import COLUMN, Journaled, journaled, unjournaled
from core.journal.models import Act, Batch, Block, RowForm
from core.journal.numbers import started_anew
from core.journal.services import CHECKPOINT, checkpoint_document, last_batch
from core.kernel.canonical import Json, canonical_bytes
from core.proofs.models import LogEntry


class What(enum.StrEnum):
    """What can be wrong."""

    BATCH = "batch_broken"
    CHECKPOINT = "checkpoint_broken"
    ROW_CHANGED = "row_changed"
    ROW_REMOVED = "row_removed"
    ROW_ADDED = "row_added"
    ROW_WITHOUT_ACT = "row_without_act"
    ACT_UNNAMED = "act_unnamed"
    TRIGGER = "trigger_missing"
    FORM = "form_lost"
    RULE = "rule_broken"
    ANEW = "transactions_started_anew"


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One place that has been touched. `detail` is for people; the rest names the place."""

    what: What
    detail: str
    batch: int | None = None
    table: str = ""
    row: int | None = None
    xid: int | None = None
    rule: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Verification:
    """What verifying found: `findings` are the first ones, up to the number asked for."""

    batches: int
    entries: int
    findings: list[Finding]
    is_cut: bool


@transaction.atomic
def verify(*, most: int = 1000, tables: Collection[str] = ()) -> Verification:
    """Read the whole journal, and every row once; everything that is wrong, up to `most`.

    With `tables`, rows and rules of those only.
    """
    rows.ready()
    findings = list(islice(_all(tables), most + 1))
    sums = Batch.objects.aggregate(batches=Count("number"), entries=Sum("entries"))
    return Verification(
        sums["batches"], sums["entries"] or 0, findings[:most], len(findings) > most
    )


def _all(tables: Collection[str]) -> Iterator[Finding]:
    yield from chain(_anew(), batch_findings(), _checkpoints(), _triggers())
    for table in journaled():
        if not tables or table.name in tables:
            yield from table_findings(table)
    yield from chain(_unnamed(), _rules(tables))


def table_findings(table: Journaled) -> Iterator[Finding]:
    """What is wrong with the rows of a table. Needs `rows.ready`."""
    yield from chain(_rows(table), _changes(table), _without_act(table))


def _anew() -> Iterator[Finding]:
    """Nobody touched anything; but nothing can be written, or sealed, before this is put right."""
    anew = started_anew()
    if anew:
        yield Finding(What.ANEW, str(anew), xid=anew.used)


# --- Batches --------------------------------------------------------------------------------------


def batch_findings() -> Iterator[Finding]:
    """What is wrong with the chain of batches in itself."""
    previous, end, number = wire.NOTHING_BEFORE, 0, 1
    for batch in Batch.objects.select_related("key").order_by("number").iterator():
        if batch.number != number:
            yield _broken(number, f"batches {number} to {batch.number - 1} are gone")
        elif bytes(batch.previous) != previous:
            yield _broken(number, "it does not follow from the batch before")
        if batch.first_xid != end:
            yield _broken(number, "its transactions do not begin where the last batch ended")
        yield from _batch(batch)
        previous, end, number = bytes(batch.digest), batch.end_xid, batch.number + 1
    # In one statement: while this is read, another batch may be sealed.
    stray = Block.objects.exclude(Exists(Batch.objects.filter(pk=OuterRef("batch_id"))))
    for batch_id in sorted(set(stray.values_list("batch_id", flat=True))):
        yield _broken(batch_id, "its head is gone, its blocks are there")


def _broken(batch: int, detail: str) -> Finding:
    return Finding(What.BATCH, f"batch {batch}: {detail}", batch=batch)


def _batch(batch: Batch) -> Iterator[Finding]:
    """The head as it follows from the blocks, its digest and its signature."""
    heads: list[list[Json]] = []
    entries = 0
    blocks = Block.objects.filter(batch_id=batch.pk).select_related("row_form").order_by("position")
    for place, block in enumerate(blocks.iterator(chunk_size=16), start=1):
        content = bytes(block.entries)
        if block.position != place:
            yield _broken(batch.pk, f"block {place} is gone")
        if len(content) != block.rows * wire.ENTRY_BYTES:
            yield _broken(batch.pk, f"block {block.position} has not {block.rows} entries")
        form = wire.form_digest(block.row_form.relation, block.row_form.columns)
        heads.append(wire.block_head(form, block.rows, content))
        entries += block.rows
    head = wire.head(
        number=batch.number,
        previous=bytes(batch.previous),
        first_xid=batch.first_xid,
        end_xid=batch.end_xid,
        sealed_at=batch.sealed_at,
        blocks=heads,
    )
    message = canonical_bytes(head)
    if entries != batch.entries:
        yield _broken(batch.pk, f"it has {entries} entries and says {batch.entries}")
    if hashlib.sha256(message).digest() != bytes(batch.digest):
        yield _broken(batch.pk, "its digest is not that of its head and blocks")
    if not signed(bytes(batch.key.public_key), message, bytes(batch.signature)):
        yield _broken(batch.pk, "its signature is not of its head")


def signed(public_key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _checkpoints() -> Iterator[Finding]:
    """What has been published of the journal is what the journal is."""
    for entry in LogEntry.objects.filter(kind=CHECKPOINT).order_by("sequence"):
        published, number = entry.document, entry.document.get("batch")
        batch = Batch.objects.filter(pk=number).first()
        place = f"checkpoint of {entry.subject}"
        if batch is None:
            yield Finding(What.CHECKPOINT, f"{place}: its batch {number} is gone", batch=number)
        elif checkpoint_document(published["day"], batch) != published:
            yield Finding(
                What.CHECKPOINT, f"{place}: batch {number} is not what was published", batch=number
            )


# --- Rows -----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class _Span:
    """Batches in which a table's digests cover the same columns, by numbers and transactions."""

    form: RowForm
    first_batch: int
    last_batch: int
    first_xid: int
    end_xid: int


_FORMS = """
SELECT batch_id, row_form_id FROM (
    SELECT b.batch_id, b.row_form_id,
           lag(b.row_form_id) OVER (ORDER BY b.batch_id, b.position) AS before
      FROM journal_block b JOIN journal_rowform f ON f.id = b.row_form_id WHERE f.relation = %s) s
 WHERE before IS DISTINCT FROM row_form_id ORDER BY batch_id
"""


def _spans(table: Journaled, last: Batch) -> list[_Span]:
    """From the first transaction of all to the last one sealed, without a gap."""
    with connection.cursor() as cursor:
        cursor.execute(_FORMS, [table.name])
        starts = cursor.fetchall()
    if not starts:
        columns = rows.present_columns(table)
        return [_Span(RowForm(relation=table.name, columns=columns), 1, 0, _NEVER, last.end_xid)]
    forms = RowForm.objects.in_bulk([form for _, form in starts])
    xids = dict(
        Batch.objects.filter(pk__in=[batch for batch, _ in starts]).values_list("pk", "first_xid")
    )
    spans = []
    for place, (batch, form) in enumerate(starts):
        after = starts[place + 1][0] if place + 1 < len(starts) else None
        spans.append(
            _Span(
                forms[form],
                batch if place else 1,
                after - 1 if after else last.number,
                xids.get(batch, _NEVER) if place else _NEVER,
                xids.get(after, last.end_xid) if after else last.end_xid,
            )
        )
    return spans


_NEVER = -(2**62)


def _rows(table: Journaled) -> Iterator[Finding]:
    """Every row against its entry, both in the order of the journal."""
    last = last_batch()
    if last is None:
        return
    for span in _spans(table, last):
        gone = set(span.form.columns) - set(rows.present_columns(table))
        if gone:
            yield Finding(
                What.FORM,
                f"{table.name}: without {sorted(gone)} its rows of batches"
                f" {span.first_batch} to {span.last_batch} cannot be compared",
                table=table.name,
            )
            continue
        found = rows.entries(table, span.form.columns, span.first_xid, span.end_xid)
        yield from _compare(table, _sealed(table, span), found)


def _sealed(table: Journaled, span: _Span) -> Iterator[tuple[int, wire.Entry]]:
    """The journal's entries of the table, with their batches."""
    blocks = Block.objects.filter(
        row_form__relation=table.name, batch_id__gte=span.first_batch, batch_id__lte=span.last_batch
    )
    for block in blocks.order_by("batch_id", "position").iterator(chunk_size=16):
        content = bytes(block.entries)
        whole = len(content) - len(content) % wire.ENTRY_BYTES
        for entry in wire.entries_of(content[:whole]):
            yield block.batch_id, entry


def _compare(
    table: Journaled, sealed: Iterator[tuple[int, wire.Entry]], found: Iterator[wire.Entry]
) -> Iterator[Finding]:
    entry, row = next(sealed, None), next(found, None)
    while entry is not None or row is not None:
        key = (entry[1].xid, entry[1].row) if entry else _END
        present = (row.xid, row.row) if row else _END
        if key == present and entry and row:
            if entry[1].digest != row.digest:
                yield _row(What.ROW_CHANGED, table, row, entry[0])
            entry, row = next(sealed, None), next(found, None)
        elif key < present and entry:
            yield _row(What.ROW_REMOVED, table, entry[1], entry[0])
            entry = next(sealed, None)
        elif row:
            yield _row(What.ROW_ADDED, table, row, None)
            row = next(found, None)


_END = (2**63, 0)
_SAYS = {
    What.ROW_CHANGED: "is not as it was written",
    What.ROW_REMOVED: "is gone, or no longer says which transaction wrote it",
    What.ROW_ADDED: "is in no batch, though its transaction was sealed",
    What.ROW_WITHOUT_ACT: "was written past the journal: there is no act of its transaction",
}


def _row(what: What, table: Journaled, entry: wire.Entry, batch: int | None) -> Finding:
    where = f"batch {batch}, " if batch else ""
    return Finding(
        what,
        f"{where}{table.name} {entry.row}, transaction {entry.xid}: {_SAYS[what]}",
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
      FROM journal_change c, jsonb_each(c.before) e WHERE c.relation = '{table}'
    WINDOW w AS (PARTITION BY c.row_id, e.key ORDER BY c.id))
SELECT row_id, xid, key, 'before' FROM step WHERE left_at <> before
UNION ALL
SELECT s.row_id, s.xid, s.key, 'since' FROM step s
  JOIN "{table}" t ON t."{key}" = s.row_id
 WHERE s.next IS NULL AND {image} -> s.key IS DISTINCT FROM s.after
ORDER BY 1, 2, 3
"""


def _changes(table: Journaled) -> Iterator[Finding]:
    """Each change begins where the last one of the column ended, and the row is as the last left
    it."""
    if not table.changing:
        return
    query = _STEPS.format(table=table.name, key=table.key, image=rows.image_sql(table))
    with connection.cursor() as cursor:
        cursor.execute(query)
        for row, xid, column, when in cursor:
            yield Finding(
                What.ROW_CHANGED,
                f"{table.name} {row}: {column} was changed past the journal,"
                f" {when} transaction {xid}",
                table=table.name,
                row=row,
                xid=xid,
            )


def _without_act(table: Journaled) -> Iterator[Finding]:
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT t.{COLUMN}, t."{table.key}" FROM "{table.name}" t WHERE NOT EXISTS'
            f" (SELECT FROM journal_act a WHERE a.{COLUMN} = t.{COLUMN}) ORDER BY 1, 2"
        )
        for xid, row in cursor:
            yield _row(What.ROW_WITHOUT_ACT, table, wire.Entry(xid, row, b""), None)


def _unnamed() -> Iterator[Finding]:
    """Somebody wrote through the front door without saying who."""
    for act in Act.objects.filter(name="").order_by("xid").iterator():
        yield Finding(
            What.ACT_UNNAMED,
            f"transaction {act.xid}, {act.at.isoformat()}: {act.database_role}"
            " wrote, and nobody says who or why",
            xid=act.xid,
        )


def _triggers() -> Iterator[Finding]:
    """What the journal stands on is in place now."""
    with connection.cursor() as cursor:
        loose = unjournaled(cursor)
    for name in loose:
        yield Finding(What.TRIGGER, f"{name}: its trigger is disabled or gone", table=name)


def _rules(tables: Collection[str]) -> Iterator[Finding]:
    for rule in rules.rules():
        if tables and not any(re.search(rf"\b{name}\b", rule.query) for name in tables):
            continue
        for table, row, xid in rules.broken(rule):
            yield Finding(
                What.RULE,
                f"{table} {row}, transaction {xid}: {rule.says} ({rule.name})",
                table=table,
                row=row,
                xid=xid,
                rule=rule.name,
            )

"""Seal the journal in batches, and publish checkpoints of it."""

import dataclasses
import datetime
import hashlib
from typing import Any

from django.db import transaction
from django.db.models import Q

from core.database import clock
from core.database.locks import Lock, hold
from core.database.reading.asking import fetch_row, fetch_value
from core.journal import rows, wire
from core.journal.lineages import unbegun
from core.journal.models import Act, Batch, Block, RowForm
from core.journal.rows import Span
from core.kernel.canonical import Json, canonical_bytes, with_digests
from core.kernel.errors import InvariantBroken
from core.proofs import keys, log
from core.proofs.models import LogEntry

CHECKPOINT = "journal.checkpoint"
CHECKPOINT_EVERY = datetime.timedelta(hours=1)


class LineageNotBegun(InvariantBroken):
    """`data`: servers of the lineages, server, published, used, next (core.journal.lineages)."""

    code = "lineage_not_begun"
    message = "No lineage of the journal has begun on this server; see docs/operations/journal.md."


_ENDED = """
SELECT journal_base() + pg_snapshot_xmax(s)::text::bigint,
       ARRAY(SELECT journal_base() + x::text::bigint FROM pg_snapshot_xip(s) x
             UNION SELECT journal_base() + own
                     FROM (SELECT pg_current_xact_id_if_assigned()::text::bigint AS own) o
                    WHERE own < pg_snapshot_xmax(s)::text::bigint ORDER BY 1)
  FROM pg_current_snapshot() s
"""


def ended_since(last: Batch | None) -> Span:
    """Return the transactions that ended after those of the last batch.

    A later batch seals the transactions still in progress. They do not delay this one. The calling
    transaction is one of them.
    """
    end, in_progress = fetch_row(_ENDED)
    first, late = (last.end_xid, tuple(last.open_xids)) if last else (0, ())
    return Span(first, end, late, tuple(in_progress))


def need_numbers_go_on() -> None:
    """Raise LineageNotBegun if the journal has come to another server, and cannot go on there."""
    missing = unbegun()
    if missing:
        raise LineageNotBegun(**dataclasses.asdict(missing))


def last_batch() -> Batch | None:
    """Return the newest batch; None before the first."""
    return Batch.objects.order_by("-number").first()


def oldest_unsealed() -> Act | None:
    """Return the oldest act that is in no batch; None if all of them are in one."""
    last = last_batch()
    acts = Act.objects.filter(xid__gte=last.end_xid) if last else Act.objects.all()
    late = Act.objects.filter(xid__in=last.open_xids).order_by("xid").first() if last else None
    return late or acts.order_by("xid").first()


def batches_due() -> list[int]:
    """Return the number of the next batch, if an act that is in no batch has ended.

    Raises LineageNotBegun.
    """
    need_numbers_go_on()
    last = last_batch()
    return [last.number + 1 if last else 1] if _has_acts(ended_since(last)) else []


def _has_acts(span: Span) -> bool:
    of_span = Q(xid__gte=span.first, xid__lt=span.end) | Q(xid__in=span.late)
    return Act.objects.filter(of_span).exclude(xid__in=span.open).exists()


@transaction.atomic
def batch_seal() -> Batch | None:
    """Seal the rows that all ended transactions wrote since the last batch; None if there are none.

    Batches are sealed one at a time; nothing else waits. A transaction still in progress goes into
    the first batch after its end; it holds back no other. Raises LineageNotBegun,
    keys.SigningKeyMissing.
    """
    hold((Lock.JOURNAL, 0))
    need_numbers_go_on()
    last = last_batch()
    span = ended_since(last)
    if not _has_acts(span):
        return None
    number = last.number + 1 if last else 1
    previous = bytes(last.digest) if last else wire.NOTHING_BEFORE
    heads, entries = _blocks_store(number, span)
    hold((Lock.LOG, 0))  # the key in force stays so until this batch is there
    key = log.key_in_force()
    # The clock may have been ahead before, and this batch follows what was done then all the same.
    at = max(clock.now(), last.sealed_at) if last else clock.now()
    message = canonical_bytes(
        wire.head(
            number=number,
            previous=previous,
            first_xid=span.first,
            end_xid=span.end,
            open_xids=span.open,
            sealed_at=at,
            blocks=heads,
        )
    )
    return Batch.objects.create(
        number=number,
        first_xid=span.first,
        end_xid=span.end,
        open_xids=list(span.open),
        sealed_at=at,
        entries=entries,
        previous=previous,
        digest=hashlib.sha256(message).digest(),
        key=key,
        signature=keys.sign(key, message),
    )


@rows.ready()
def _blocks_store(number: int, span: Span) -> tuple[list[list[Json]], int]:
    """Write the batch's blocks; return their parts of its head, and the number of entries."""
    heads: list[list[Json]] = []
    entries = 0
    for table in rows.written_to(span):
        columns = rows.present_columns(table)
        form, _ = RowForm.objects.get_or_create(relation=table.name, columns=columns)
        digest = wire.form_digest(table.name, columns)
        for block in rows.blocks(table, columns, span, columns):
            content = b"".join(block)
            sha256 = hashlib.sha256(content).digest()
            heads.append(wire.block_head(digest, len(block), sha256))
            Block.objects.create(
                batch_id=number,
                position=len(heads),
                row_form=form,
                rows=len(block),
                short=wire.shortened(block),
                sha256=sha256,
            )
            entries += len(block)
    return heads, entries


_COVERS = """
SELECT EXISTS (SELECT FROM proofs_logentry e
  WHERE e.kind <> %(checkpoint)s
    AND (e.journal_xid >= %(first)s OR e.journal_xid = ANY (%(late)s::bigint[]))
    AND e.journal_xid < %(end)s AND e.journal_xid <> ALL (%(open)s::bigint[]))
"""


def checkpoints_due() -> list[int]:
    """Return the newest batch if its checkpoint is due, by its number.

    One is due when the batch is the first to hold an act that published something: a closing, a
    settlement, a commitment; and an hour after the last one.
    """
    last = last_batch()
    if last is None:
        return []
    checkpoint = LogEntry.objects.filter(kind=CHECKPOINT).order_by("-sequence").first()
    if checkpoint is None:
        return [last.number]
    number = checkpoint.document["batch"]
    if number >= last.number:
        return []
    covered = Batch.objects.filter(pk=number).first() or last
    span: dict[str, Any] = {
        "checkpoint": CHECKPOINT,
        "first": covered.end_xid,
        "late": covered.open_xids,
        "end": last.end_xid,
        "open": last.open_xids,
    }
    covers = fetch_value(_COVERS, span)
    now = clock.now()  # before the checkpoint, where that is of a clock that was ahead
    due = covers or not now - CHECKPOINT_EVERY < checkpoint.at <= now
    return [last.number] if due else []


@transaction.atomic
def checkpoint_publish(*, number: int) -> LogEntry | None:
    """Publish the signed checkpoint of the newest batch; None if batch `number` is not there.

    No batch is sealed meanwhile: those up to the one named were sealed before the entry, and all
    others after it, so the log says under which key each was sealed. A batch has one checkpoint:
    publishing it again changes nothing. Raises keys.SigningKeyMissing.
    """
    hold((Lock.JOURNAL, 0))
    batch = last_batch()
    if batch is None or batch.number < number:
        return None
    subject, document = str(batch.number), checkpoint_document(batch)
    return log.publish(kind=CHECKPOINT, subject=subject, document=document)


def checkpoint_document(batch: Batch) -> dict[str, Json]:
    """Return the checkpoint's document: the digest of a batch covers the journal up to it."""
    return with_digests(
        {
            "format": "trot-checkpoint-1",
            "batch": batch.number,
            "digest": bytes(batch.digest).hex(),
        }
    )

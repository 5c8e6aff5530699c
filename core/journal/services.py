"""Seal the journal in batches, and publish a daily checkpoint of it."""

import datetime
import hashlib

from django.db import connection, transaction
from django.db.models import Q, Sum
from django.db.models.functions import TruncDate

from core.database import clock
from core.database.locks import Lock, hold
from core.journal import rows, wire
from core.journal.models import Act, Batch, Block, RowForm
from core.journal.numbers import started_anew
from core.journal.rows import Span
from core.kernel.canonical import Json, canonical_bytes, with_digests
from core.kernel.days import MADRID, day_bounds, natural_day
from core.kernel.errors import InvariantBroken
from core.proofs import keys, log
from core.proofs.models import LogEntry

CHECKPOINT = "journal.checkpoint"


class TransactionsStartedAnew(InvariantBroken):
    code = "transactions_started_anew"
    message = "The server's transaction counter was reset after the last batch; see operations.md."


_ENDED = """
SELECT pg_snapshot_xmax(s)::text::bigint,
       ARRAY(SELECT x::text::bigint FROM pg_snapshot_xip(s) x
             UNION SELECT own FROM (SELECT pg_current_xact_id_if_assigned()::text::bigint AS own) o
                    WHERE own < pg_snapshot_xmax(s)::text::bigint ORDER BY 1)
  FROM pg_current_snapshot() s
"""


def ended_since(last: Batch | None) -> Span:
    """Return the transactions that ended after those of the last batch.

    Transactions in progress, of whomever, are left to a later batch, and hold back no other. This
    transaction is one of them.
    """
    with connection.cursor() as cursor:
        cursor.execute(_ENDED)
        end, in_progress = cursor.fetchone()
    first, late = (last.end_xid, tuple(last.open_xids)) if last else (0, ())
    return Span(first, end, late, tuple(in_progress))


def need_numbers_go_on() -> None:
    """Raise TransactionsStartedAnew if a restored server counts transactions from below the
    journal.

    The database refuses to write there, because a sealed batch would not have the new rows.
    """
    reset = started_anew()
    if reset:
        raise TransactionsStartedAnew(used=reset.used, next=reset.next, epoch=reset.epoch)


def last_batch() -> Batch | None:
    """Return the newest batch; None before the first."""
    return Batch.objects.order_by("-number").first()


def batches_due() -> list[int]:
    """Return the number of the next batch, if an act that is in no batch has ended.

    Raises TransactionsStartedAnew.
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
    the first batch after its end; it holds back no other. Raises TransactionsStartedAnew,
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
    at, key = clock.now(), log.key_in_force()
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


def _blocks_store(number: int, span: Span) -> tuple[list[list[Json]], int]:
    """Write the batch's blocks; return their parts of its head, and the number of entries."""
    heads: list[list[Json]] = []
    entries = 0
    rows.ready()
    for table in rows.written_to(span):
        columns = rows.present_columns(table)
        form, _ = RowForm.objects.get_or_create(relation=table.name, columns=columns)
        digest = wire.form_digest(table.name, columns)
        for block in rows.blocks(table, columns, span):
            content = b"".join(block)
            heads.append(wire.block_head(digest, len(block), content))
            Block.objects.create(
                batch_id=number,
                position=len(heads),
                row_form=form,
                rows=len(block),
                entries=content,
            )
            entries += len(block)
    return heads, entries


def days_due() -> list[datetime.date]:
    """Return the ended days on which batches were sealed and whose checkpoint is not published."""
    latest = LogEntry.objects.filter(kind=CHECKPOINT).order_by("-sequence").first()
    today, _ = day_bounds(natural_day(clock.now()))
    batches = Batch.objects.filter(sealed_at__lt=today)
    if latest is not None:
        _, after = day_bounds(datetime.date.fromisoformat(latest.subject))
        batches = batches.filter(sealed_at__gte=after)
    dated = batches.annotate(day=TruncDate("sealed_at", tzinfo=MADRID))
    return sorted(set(dated.values_list("day", flat=True).distinct()))


@transaction.atomic
def checkpoint_publish(*, day: datetime.date) -> LogEntry | None:
    """Publish the signed checkpoint of the journal at the end of `day`; None before that end.

    A day has one checkpoint: publishing it again changes nothing. Raises keys.SigningKeyMissing.
    """
    _, end = day_bounds(day)
    last = Batch.objects.filter(sealed_at__lt=end).order_by("-number").first()
    if last is None or clock.now() < end:
        return None
    return log.publish(
        kind=CHECKPOINT,
        subject=day.isoformat(),
        document=checkpoint_document(day.isoformat(), last),
    )


def checkpoint_document(day: str, last: Batch) -> dict[str, Json]:
    """Return the checkpoint's document about the journal up to `last`, the last batch of the
    day.
    """
    acts = Act.objects.filter(xid__lt=last.end_xid).exclude(xid__in=last.open_xids).count()
    entries = Batch.objects.filter(number__lte=last.number).aggregate(n=Sum("entries"))["n"]
    return with_digests(
        {
            "format": "trot-checkpoint-1",
            "day": day,
            "batch": last.number,
            "digest": bytes(last.digest).hex(),
            "entries": entries,
            "acts": acts,
        }
    )

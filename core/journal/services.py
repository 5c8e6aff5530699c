"""Seal the journal in batches, and publish a daily checkpoint of it."""

import datetime
import hashlib

from django.db import connection, transaction
from django.db.models import Sum
from django.db.models.functions import TruncDate

from core.database import clock
from core.database.locks import Lock, hold
from core.journal import rows, wire
from core.journal.models import Act, Batch, Block, RowForm
from core.journal.numbers import started_anew
from core.kernel.canonical import Json, canonical_bytes, with_digests
from core.kernel.days import MADRID, day_bounds, natural_day
from core.kernel.errors import InvariantBroken
from core.proofs import keys, log
from core.proofs.models import LogEntry

CHECKPOINT = "journal.checkpoint"


class TransactionsStartedAnew(InvariantBroken):
    code = "transactions_started_anew"
    message = "The server's transaction counter was reset after the last batch; see operations.md."


def horizon() -> int:
    """Return the oldest transaction that may still write: every earlier one has ended."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        return int(cursor.fetchone()[0])


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
    first, number = (last.end_xid, last.number + 1) if last else (0, 1)
    return [number] if _has_acts(first, horizon()) else []


def _has_acts(first: int, end: int) -> bool:
    return Act.objects.filter(xid__gte=first, xid__lt=end).exists()


@transaction.atomic
def batch_seal() -> Batch | None:
    """Seal the rows that all ended transactions wrote since the last batch; None if there are none.

    Batches are sealed one at a time; nothing else waits. A transaction still in progress, and every
    one that started after it, goes into a later batch. Raises TransactionsStartedAnew,
    keys.SigningKeyMissing.
    """
    hold((Lock.JOURNAL, 0))
    need_numbers_go_on()
    last, end = last_batch(), horizon()
    first = last.end_xid if last else 0
    if not _has_acts(first, end):
        return None
    number = last.number + 1 if last else 1
    previous = bytes(last.digest) if last else wire.NOTHING_BEFORE
    heads, entries = _blocks_store(number, first, end)
    at, key = clock.now(), log.key_in_force()
    message = canonical_bytes(
        wire.head(
            number=number,
            previous=previous,
            first_xid=first,
            end_xid=end,
            sealed_at=at,
            blocks=heads,
        )
    )
    return Batch.objects.create(
        number=number,
        first_xid=first,
        end_xid=end,
        sealed_at=at,
        entries=entries,
        previous=previous,
        digest=hashlib.sha256(message).digest(),
        key=key,
        signature=keys.sign(key, message),
    )


def _blocks_store(number: int, first: int, end: int) -> tuple[list[list[Json]], int]:
    """Write the batch's blocks; return their parts of its head, and the number of entries."""
    heads: list[list[Json]] = []
    entries = 0
    rows.ready()
    for table in rows.written_to(first, end):
        columns = rows.present_columns(table)
        form, _ = RowForm.objects.get_or_create(relation=table.name, columns=columns)
        digest = wire.form_digest(table.name, columns)
        for block in rows.blocks(table, columns, first, end):
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
    acts = Act.objects.filter(xid__lt=last.end_xid).count()
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

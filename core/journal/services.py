"""Sealing the journal in batches, and publishing where it stands."""

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
    message = "The server counts transactions anew since the last batch; see operations.md."


def horizon() -> int:
    """The oldest transaction that may still write: every earlier one has ended."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        return int(cursor.fetchone()[0])


def need_numbers_go_on() -> None:
    """Raise TransactionsStartedAnew where a dump was restored and its server counts from below.

    The database itself refuses to write there what a sealed batch would not have.
    """
    anew = started_anew()
    if anew:
        raise TransactionsStartedAnew(used=anew.used, next=anew.next, epoch=anew.epoch)


def last_batch() -> Batch | None:
    return Batch.objects.order_by("-number").first()


def batches_due() -> list[int]:
    """The number of the next batch, if an act has ended that is in none yet.

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
    """Seal what all ended transactions wrote since the last batch; None if that is nothing.

    One batch at a time; nobody else waits. A transaction still under way, and whatever began after
    it, is of a later batch. Raises TransactionsStartedAnew, keys.SigningKeyMissing.
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
    """Write the batch's blocks, as they are read; what its head says of them, and the entries."""
    heads: list[list[Json]] = []
    entries = 0
    rows.ready()
    for table in rows.written_to(first, end):
        columns = rows.present_columns(table)
        form, _ = RowForm.objects.get_or_create(relation=table.name, columns=columns)
        digest = wire.form_digest(table.name, columns)
        for found in rows.blocks(table, columns, first, end):
            content = b"".join(found)
            heads.append(wire.block_head(digest, len(found), content))
            Block.objects.create(
                batch_id=number,
                position=len(heads),
                row_form=form,
                rows=len(found),
                entries=content,
            )
            entries += len(found)
    return heads, entries


def days_due() -> list[datetime.date]:
    """The days that have ended, on which batches were sealed, and of which nothing is published."""
    latest = LogEntry.objects.filter(kind=CHECKPOINT).order_by("-sequence").first()
    today, _ = day_bounds(natural_day(clock.now()))
    found = Batch.objects.filter(sealed_at__lt=today)
    if latest is not None:
        _, after = day_bounds(datetime.date.fromisoformat(latest.subject))
        found = found.filter(sealed_at__gte=after)
    days = found.annotate(day=TruncDate("sealed_at", tzinfo=MADRID)).values_list("day", flat=True)
    return sorted(set(days.distinct()))


@transaction.atomic
def checkpoint_publish(*, day: datetime.date) -> LogEntry | None:
    """Publish, signed, where the journal stood when `day` ended; None while it has not ended.

    Once for a day: publishing it again changes nothing.
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
    """What is published of the journal up to `last`, the last batch of the day."""
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

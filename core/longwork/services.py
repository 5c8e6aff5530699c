"""Ask for long work, do it in a worker, and delete its files in time.

A process that does work holds a lock of its database session, so work whose process died is known:
it is called running, and nobody holds its lock. It is then called cut off, and is not begun again
by itself: the person sees it, and asks again. Where such a process lives after all (its session was
lost with the server), it ends at its next step, and what it made is not kept.
"""

import datetime
import hashlib
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import structlog
from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.db.models.functions import Greatest
from django.utils import translation

from core.database import clock
from core.database.locks import Lock, session_hold
from core.database.reading.limits import limited
from core.database.reading.progress import GivenUp, listening
from core.journal.acting import acting
from core.kernel.canonical import canonical_sha256
from core.kernel.days import add_days, natural_day
from core.kernel.errors import DomainError, Unavailable
from core.longwork import selectors
from core.longwork.kinds import Content, File, Outcome, WorkKind, WorkUnknown, kind_named
from core.longwork.models import FilePart, LongWork
from core.longwork.telling import Teller
from core.receipts.document import present_language
from core.staff.actor import StaffActor
from core.staff.services import actor_behind

PART_BYTES = 1 << 20
CUT_OFF = "cut_off"
UNEXPECTED = "unexpected_fault"
_TRIES = 3
log = structlog.get_logger("longwork")
State = LongWork.State


class WorkBusy(Unavailable):
    code = "long_work_busy"
    message = "The same work is being asked for by others right now."


def work_ask(*, kind: str, by: StaffActor, content: Content | None = None) -> LongWork:
    """Ask for work, or return the same work that waits or runs already.

    Raises WorkUnknown, PowerMissing, WorkBusy.
    """
    work_kind, content = kind_named(kind), content or {}
    by.need(work_kind.power_for(content))
    of_whom = None if work_kind.shared else by.user_id
    key = canonical_sha256({"kind": kind, "content": content, "by": of_whom}).hex()
    for _try in range(_TRIES):
        same = LongWork.objects.filter(key=key, state__in=LongWork.OPEN).first()
        if same is not None:
            return same
        try:
            with transaction.atomic():
                return LongWork.objects.create(
                    kind=kind,
                    content=content,
                    key=key,
                    asked_by_id=by.user_id,
                    asked_in_id=by.session_id,
                    asked_at=clock.now(),
                    language=present_language(),
                    state=State.WAITING,
                )
        except IntegrityError:  # somebody else asked at the same time
            continue
    raise WorkBusy(kind=kind)


def work_sent(pk: int) -> bool:
    """Note that waiting work is sent to a worker now. Return False if it was sent just before."""
    now = clock.now()
    unsent = selectors.unsent(now)
    return bool(LongWork.objects.filter(unsent, pk=pk, state=State.WAITING).update(sent_at=now))


def work_cut_off(pk: int) -> bool:
    """Record that work was cut off, if its row says that it runs and no session holds its lock."""
    return pk in selectors.cut_off() and _ended(
        pk,
        State.CUT_OFF,
        fault=CUT_OFF,
        fault_says="The worker was stopped. Nothing of it goes on: ask for it again.",
    )


def work_do(pk: int) -> bool:
    """Do a piece of work that waits. Return False for any other, or if another process does it."""
    with session_hold(Lock.LONG_WORK, pk) as alone:
        if not alone:
            return False
        now = clock.now()
        waits = LongWork.objects.filter(pk=pk, state=State.WAITING)
        if not waits.update(state=State.RUNNING, started_at=now):
            return False
        work = LongWork.objects.select_related("asked_in__user").get(pk=pk)
        who = {"staff": work.asked_by_id, "staff_session": work.asked_in_id}
        with acting(f"longwork:{work.kind}", **who), translation.override(work.language):
            try:
                kind = kind_named(work.kind)
                with transaction.atomic() if kind.whole else nullcontext():
                    _finish(work, _run(work, kind))
            except GivenUp:
                log.warning("long work given up", work=work.pk, kind=work.kind)
            except Exception as error:  # noqa: BLE001  # whatever it is: it is said to who asked
                _fail(work, error)
        return True


def _run(work: LongWork, kind: WorkKind) -> Outcome:
    """Run the work, if the person may still do it.

    Raises SessionExpired, PowerMissing, GivenUp, and the errors of the work.
    """
    by = actor_behind(work.asked_in)
    by.need(kind.power_for(work.content))
    log.info("long work started", work=work.pk, kind=work.kind)
    with Teller(work.pk) as teller, listening(teller.hear), limited(settings.NIGHT_LIMIT_S):
        return kind.run(by, work.content)


def _finish(work: LongWork, outcome: Outcome) -> None:
    """Record the result of the work, and keep its file, in one transaction. Raises GivenUp."""
    with transaction.atomic():
        file_columns = _file_kept(work, outcome.file) if outcome.file else {}
        if not _ended(work.pk, State.DONE, result=dict(outcome.counts), **file_columns):
            raise GivenUp  # it was called cut off: nobody would erase its file
    log.info("long work done", work=work.pk, kind=work.kind)


def _file_kept(work: LongWork, file: File) -> dict[str, Any]:
    digest, total = hashlib.sha256(), 0
    with file.content as content:
        for number, part in enumerate(iter(lambda: content.read(PART_BYTES), b""), start=1):
            FilePart.objects.create(work=work, number=number, content=part)
            digest.update(part)
            total += len(part)
    today = natural_day(clock.now())
    return {
        "file_name": file.name[:120],
        "file_type": file.media_type,
        "file_bytes": total,
        "file_sha256": digest.hexdigest(),
        "kept_until": add_days(today, settings.LONG_WORK_FILE_DAYS),
    }


def _fail(work: LongWork, error: Exception) -> None:
    if isinstance(error, DomainError):
        fault = {"fault": error.code, "fault_says": error.message, "fault_data": error.data}
        log.warning("long work failed", work=work.pk, kind=work.kind, fault=error.code)
    else:
        fault = {"fault": UNEXPECTED, "fault_says": type(error).__name__}
        log.error("long work failed", work=work.pk, kind=work.kind, exc_info=error)
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()
    _ended(work.pk, State.FAILED, **fault)


def _ended(pk: int, state: str, **columns: Any) -> bool:
    running = LongWork.objects.filter(pk=pk, state=State.RUNNING)
    # A clock that was set back since does not keep work from ending.
    ended_at = Greatest(F("started_at"), clock.now())
    return bool(running.update(state=state, ended_at=ended_at, **columns))


def work_file(*, by: StaffActor, pk: int) -> LongWork:
    """Return work with a file for the person who asked for it and may still have it.

    Raises WorkUnknown, PowerMissing.
    """
    work = selectors.work_of(by).filter(pk=pk, asked_by=by.user_id).first()
    if work is None or not work.has_file:
        raise WorkUnknown
    by.need(kind_named(work.kind).power_for(work.content))
    return work


def work_parts(work: LongWork) -> Iterator[bytes]:
    """Read the file of a piece of work part by part."""
    number = 0
    while part := work.parts.filter(number=(number := number + 1)).first():
        yield bytes(part.content)


def work_files_purge(today: datetime.date) -> int:
    """Empty the files whose time is over; return how many. Each is one transaction."""
    over = LongWork.objects.filter(kept_until__lt=today, gone_at=None).exclude(file_name="")
    purged = 0
    for work in over.order_by("pk"):
        with transaction.atomic():
            there = LongWork.objects.filter(pk=work.pk, gone_at=None)
            if there.update(gone_at=clock.now()):
                FilePart.objects.filter(work=work).update(content=b"")
                purged += 1
    return purged

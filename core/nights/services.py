"""Run every nightly job of every day that has ended, once and in order.

One process at a time runs the nights. It holds the nights' lock as long as its connection lives.
Each job and day has one row. If a run is interrupted, the next run continues with what is not done.
"""

import datetime
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial

import structlog
from django.conf import settings
from django.db import connection, transaction

from core.database import clock
from core.database.locks import Lock, session_has, session_hold, session_keep
from core.database.quiet import wait_for_quiet
from core.database.reading import progress
from core.database.reading.asking import fetch_all
from core.database.reading.limits import limited
from core.database.reading.once import once
from core.database.reading.standby import read_much
from core.kernel.days import add_days, natural_day
from core.kernel.errors import Conflict, DomainError, Unavailable
from core.nights import jobs, powers
from core.nights.jobs import MOST_LISTED, Job, Outcome
from core.nights.models import JobFailure, JobRun
from core.staff.actor import StaffActor

CUT_OFF = "cut off"
log = structlog.get_logger("nights")


class DayNotOver(Conflict):
    code = "day_not_over"
    message = "A night can be run only for a day that has ended."


class NightRunning(Unavailable):
    code = "night_running"
    message = "The nights are being run by someone else right now."


class RunOvertaken(Unavailable):
    code = "run_overtaken"
    message = "Another runner has taken this job over."


def last_day() -> datetime.date:
    """Return the newest day that has ended."""
    return add_days(natural_day(clock.now()), -1)


def jobs_due(until: datetime.date | None = None) -> list[tuple[datetime.date, Job]]:
    """Return what is not done up to a day (default: the newest ended day), by day, in order.

    A job continues after the last day on which it was done. A job that never began does so on the
    newest day that a night has reached, because that night may have ended before its turn came. Its
    work on a day includes all that is due up to then. With an earlier `until` it is not due. A job
    that recounts is due only for its newest day, and for one that it did not finish.
    """
    last = until or last_day()
    done = last_done()
    unfinished: dict[str, datetime.date] = {}
    for name, day in JobRun.objects.exclude(state=JobRun.State.DONE).values_list("job", "day"):
        unfinished[name] = min(day, unfinished.get(name, day))
    reached = max([*done.values(), *unfinished.values()], default=last_day())
    due: list[tuple[datetime.date, Job]] = []
    for job in jobs.all_jobs():
        begun, newest_done = unfinished.get(job.name), done.get(job.name)
        after_done = newest_done and add_days(newest_done, 1)
        first = min((day for day in (begun, after_done) if day), default=reached)
        days = [day for day in _days(first, last) if job.on(day)]
        if job.recounts:
            undone = [day for day in days[-1:] if newest_done is None or day > newest_done]
            days = [day for day in days if day == begun or day in undone]
        due.extend((day, job) for day in days)
    return sorted(due, key=lambda due_job: (due_job[0], due_job[1].order, due_job[1].name))


_LAST_DONE = """
SELECT j.name, r.day FROM unnest(%s::text[]) j (name) CROSS JOIN LATERAL (
    SELECT day FROM nights_jobrun WHERE job = j.name AND state = 'done'
     ORDER BY day DESC LIMIT 1) r
"""


@once
def last_done() -> dict[str, datetime.date]:
    """Return the newest day for which each job was done, by name, without reading the others."""
    return dict(fetch_all(_LAST_DONE, [[job.name for job in jobs.all_jobs()]]))


def _days(first: datetime.date, last: datetime.date) -> list[datetime.date]:
    return [add_days(first, number) for number in range((last - first).days + 1)]


def night_run(
    *, until: datetime.date | None = None, tell: Callable[[JobRun], None] = lambda run: None
) -> list[JobRun]:
    """Do everything that is due up to a day. Return the runs made, and `tell` each as it ends. A
    failure is recorded and tried again.

    A job that fails does not begin its next day, unless it recounts; the other jobs continue. One
    whose session was lost, as with the server, stays `running`: it was cut off, and is begun again.
    If the clock becomes wrong, the job under way fails and no other begins. Raises DayNotOver,
    NightRunning, NotQuiet, ClockUnsound.
    """
    need_runnable(until)
    with session_hold(Lock.NIGHT) as alone:
        if not alone:
            raise NightRunning
        wait_for_quiet()
        failed: set[str] = set()
        runs = []
        due = jobs_due(until)
        for number, (day, job) in enumerate(due, start=1):
            if job.name in failed and not job.recounts:
                continue
            if not session_keep(Lock.NIGHT):  # the server was lost, and another night has begun
                raise NightRunning
            clock.need_sound()
            progress.step(job.name, number, len(due))
            run = _run(job, day)
            runs.append(run)
            tell(run)
            if run.state != JobRun.State.DONE:
                failed.add(job.name)
    return runs


def need_runnable(until: datetime.date | None) -> None:
    """Raise ClockUnsound or DayNotOver if no night up to that day can be run."""
    clock.need_sound()
    if until is not None and until > last_day():
        raise DayNotOver(day=until.isoformat())


def night_request(*, by: StaffActor, until: datetime.date | None = None) -> list[JobRun]:
    """Run the night because a person asks for it."""
    by.need(powers.RUN)
    return night_run(until=until)


def _run(job: Job, day: datetime.date) -> JobRun:
    run = _start(job, day)
    log.info("job started", job=job.name, day=day.isoformat(), attempt=run.attempts)
    try:
        with limited(settings.NIGHT_LIMIT_S), transaction.atomic() if job.whole else nullcontext():
            _finish(run, _outcome(job, day))
    except Exception as error:  # whatever it is: it is recorded, and the others go on
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()
        if not session_has(Lock.NIGHT):  # it was lost, perhaps with the server
            run.error = CUT_OFF  # only of this row in memory: the sweeper sees that nobody does it
            log.warning("job cut off", job=job.name, day=day.isoformat(), exc_info=error)
            return run
        _fail(run, error)
        log.error("job failed", job=job.name, day=day.isoformat(), exc_info=error)
        return run
    length_s = (run.ended_at - run.started_at).total_seconds() if run.ended_at else 0
    log.info(
        "job done", job=job.name, day=day.isoformat(), seconds=length_s, counts=dict(run.counts)
    )
    return run


def _outcome(job: Job, day: datetime.date) -> Outcome:
    """Do the job. An audit only reads, so it reads the standby where there is a fit one."""
    if job.everything is None:
        return job.run(day)
    return read_much(limited(settings.NIGHT_LIMIT_S)(partial(job.run, day)))


@transaction.atomic
def _start(job: Job, day: datetime.date) -> JobRun:
    now = clock.now()
    run, fresh = JobRun.objects.get_or_create(
        job=job.name, day=day, defaults={"state": JobRun.State.RUNNING, "started_at": now}
    )
    if fresh:
        return run
    if run.state == JobRun.State.RUNNING:  # cut off
        JobFailure.objects.create(
            run=run, attempt=run.attempts, started_at=run.started_at, failed_at=now, error=CUT_OFF
        )
    run.state, run.attempts, run.started_at = JobRun.State.RUNNING, run.attempts + 1, now
    run.ended_at, run.error = None, ""
    run.save(update_fields=["state", "attempts", "started_at", "ended_at", "error"])
    return run


def _finish(run: JobRun, outcome: Outcome) -> None:
    """Record the run as done.

    Raises ClockUnsound if the clock became wrong meanwhile: what the job wrote has its time. Raises
    RunOvertaken if another process has taken the job over.
    """
    clock.need_sound()
    run.state, run.ended_at, run.counts = JobRun.State.DONE, _end(run), dict(outcome.counts)
    run.listed = {name: list(rows)[:MOST_LISTED] for name, rows in outcome.listed.items()}
    mine = JobRun.objects.filter(pk=run.pk, state=JobRun.State.RUNNING, attempts=run.attempts)
    if not mine.update(
        state=run.state, ended_at=run.ended_at, counts=run.counts, listed=run.listed
    ):
        raise RunOvertaken(job=run.job, day=run.day.isoformat())


@transaction.atomic
def _fail(run: JobRun, error: Exception) -> None:
    code = error.code if isinstance(error, DomainError) else type(error).__name__
    data = error.data if isinstance(error, DomainError) else {}
    message = f"{code}: {error} {data or ''}".strip()
    now = clock.now()
    run.state, run.ended_at, run.error = JobRun.State.FAILED, _end(run), message
    mine = JobRun.objects.filter(pk=run.pk, state=JobRun.State.RUNNING, attempts=run.attempts)
    if mine.update(state=run.state, ended_at=run.ended_at, error=message, counts={}, listed={}):
        JobFailure.objects.create(
            run=run, attempt=run.attempts, started_at=run.started_at, failed_at=now, error=message
        )


def _end(run: JobRun) -> datetime.datetime:
    """Return the end of a run: now, or its start where the clock was set back since."""
    return max(clock.now(), run.started_at)

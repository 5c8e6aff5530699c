"""Compare the server's clock with the references every second, and stop sales while it is wrong.

Every process of the system does this (`core/timekeeping/watching.py`). Each writes what its own
references say; one at a time judges from what all of them wrote. Sales ask only for the result
(`core_clock_unsound`), which changes under the exclusive lock of all sales: a sale that began
before is recorded before, and later ones are refused.
"""

import datetime
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import structlog
from django.db import connection, transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.database.models import ClockWatch
from core.database.reading.asking import fetch_value
from core.timekeeping.judging import BEHIND, Comparison, Verdict, judge
from core.timekeeping.models import Incident, Reading
from core.timekeeping.references import Sample

EVERY_S = 1.0
FRESH = datetime.timedelta(seconds=5)
_AGAIN = datetime.timedelta(milliseconds=700)
"""A reading or a judgement that is younger than this need not be made again."""
_GUARD = 1  # the key of the lock of the process that judges; 0 is held to move simulated time

# Acts are read from the journal, the record of all of them. Those of an incident do not count:
# their times are known to be wrong, and the act that ends the incident is the newest afterwards.
_STATE = """
SELECT core_server_clock(), core_timeline(),
       (SELECT a.at - coalesce((SELECT o."offset" FROM database_clockoffset o
                                 ORDER BY o.id DESC LIMIT 1), '0')
          FROM journal_act a ORDER BY a.journal_xid DESC LIMIT 1)
"""
_OWN = """
SELECT core_server_clock(),
       inet_client_addr() IS NULL OR inet_client_addr() = inet_server_addr()
"""
NONE = datetime.timedelta()
log = structlog.get_logger("clock")


@dataclass(frozen=True, slots=True)
class WatchState:
    """The state that sales ask for, as in `ClockWatch`. The newest act of a sound clock is the
    comparison itself. If references find the clock wrong, acts since the last comparison do not
    count: their times are wrong as well.
    """

    newest_at: datetime.datetime
    unsound: bool = False
    behind: datetime.timedelta = NONE


def beat(samples: Sequence[Sample]) -> None:
    """Compare the server's clock with the samples, write the readings, and judge the clock if no
    other process is doing so.
    """
    write(compare(samples))
    decide()


def compare(samples: Iterable[Sample]) -> list[Comparison]:
    """Return the server's clock less each sample."""
    with connection.cursor() as cursor:
        asked_s = time.monotonic()
        cursor.execute(_OWN)
        server, own_machine = cursor.fetchone()
        answered_s = time.monotonic()
    ahead_s = server.timestamp() - (asked_s + answered_s) / 2
    return [
        Comparison(
            kind=sample.kind,
            name=sample.name,
            ahead_us=round((ahead_s - sample.ahead_of_monotonic_s) * 1e6),
            uncertainty_us=round(((answered_s - asked_s) / 2 + sample.uncertainty_s) * 1e6),
            own_machine=own_machine and sample.kind == Reading.Kind.MACHINE,
        )
        for sample in samples
    ]


@transaction.atomic
def write(comparisons: Iterable[Comparison]) -> None:
    """Keep the comparisons as the readings of now, unless another process has just written them."""
    _hurry()
    now = fetch_value("SELECT core_server_clock()")
    for comparison in sorted(comparisons, key=lambda each: (each.kind, each.name)):
        values = asdict(comparison)
        key = {"kind": values.pop("kind"), "name": values.pop("name")}
        reading = Reading.objects.filter(**key).first()
        if reading is None:
            Reading.objects.bulk_create(
                [Reading(**key, **values, measured_at=now)], ignore_conflicts=True
            )
        elif not now - _AGAIN < reading.measured_at <= now:
            Reading.objects.filter(pk=reading.pk).update(**values, measured_at=now)


@transaction.atomic
def decide() -> None:
    """Judge the clock by the fresh readings, and begin or end an incident if that changed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [int(Lock.CLOCK), _GUARD])
        if not cursor.fetchone()[0]:
            return
        cursor.execute(_STATE)
        server, timeline, newest_act = cursor.fetchone()
    watch = ClockWatch.objects.first()
    same_server = watch is None or watch.timeline in ("", timeline)
    if watch and same_server and server - _AGAIN < watch.watched_at <= server:
        return
    standing = Incident.objects.filter(ended_at=None).first()
    seen = watch.newest_at if watch else server
    newest = max(seen, newest_act) if newest_act and not standing else seen
    comparisons = fresh(server)
    verdict = judge(
        comparisons, behind=server < newest, standing=standing.cause if standing else ""
    )
    state = WatchState(newest_at=server)
    if verdict.cause:
        behind_before = watch.behind if standing and watch else NONE
        behind = max(newest - server, -_span(verdict.ahead_us), behind_before)
        state = WatchState(newest if verdict.cause == BEHIND else seen, unsound=True, behind=behind)
    if state.unsound == bool(standing):
        _hurry()
    else:
        hold((Lock.SALES, 0))
        _end(standing) if standing else _begin(verdict, state, comparisons)
    _keep(watch, server, timeline, state)


def fresh(server: datetime.datetime) -> list[Comparison]:
    """Return the references' comparisons of the last seconds before `server`, the clock's time."""
    near = Reading.objects.filter(measured_at__gt=server - FRESH, measured_at__lt=server + FRESH)
    return [
        Comparison(
            reading.kind,
            reading.name,
            reading.ahead_us,
            reading.uncertainty_us,
            reading.own_machine,
        )
        for reading in near.order_by("kind", "name")
    ]


def _span(microseconds: int) -> datetime.timedelta:
    return datetime.timedelta(microseconds=microseconds)


def _begin(verdict: Verdict, state: WatchState, comparisons: Sequence[Comparison]) -> None:
    ahead_us = verdict.ahead_us or -round(state.behind / _span(1))
    Incident.objects.create(
        cause=verdict.cause,
        ahead_us=ahead_us,
        readings=[asdict(comparison) for comparison in comparisons],
        began_at=clock.now(),
    )
    log.error("clock unsound", cause=verdict.cause, ahead_s=ahead_us / 1e6)


def _end(incident: Incident) -> None:
    Incident.objects.filter(pk=incident.pk, ended_at=None).update(ended_at=clock.now())
    log.warning("clock sound again", cause=incident.cause)


def _hurry() -> None:
    """Commit without a wait for the disk: after a crash the next check writes this again."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")


def _keep(
    watch: ClockWatch | None, server: datetime.datetime, timeline: str, state: WatchState
) -> None:
    """Write the state that sales ask for."""
    values = asdict(state) | {"watched_at": server, "timeline": timeline}
    if watch is None:
        ClockWatch.objects.create(**values)
    else:
        ClockWatch.objects.filter(pk=watch.pk).update(**values)

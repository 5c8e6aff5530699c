"""Raise an alarm while the clock is wrong or too little watched, or no worker answers."""

import datetime

from django.utils.translation import gettext, gettext_lazy

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.database.machines import machines
from core.database.models import ClockWatch
from core.database.reading.once import once
from core.timekeeping import powers
from core.timekeeping.guard import fresh
from core.timekeeping.judging import NEEDED, Verdict, judge
from core.timekeeping.models import Incident

UNWATCHED_AFTER = datetime.timedelta(minutes=1)


def unsound() -> list[AlarmRow]:
    """Return the incident that stops sales now."""
    return [
        AlarmRow(incident, incident.began_at, words=gettext("Sales have stopped."))
        for incident in Incident.objects.filter(ended_at=None)
    ]


@once
def _watch() -> ClockWatch | None:
    return ClockWatch.objects.first()


def unwatched() -> list[AlarmRow]:
    """Return the watch if no process has compared the clock for a minute."""
    watch = _watch()
    if watch is None:
        return []
    since = watch.watched_at + clock.offset()
    late = clock.now() - since > UNWATCHED_AFTER
    return [AlarmRow(gettext("The clock of the database"), since)] if late else []


@once
def _verdict() -> Verdict | None:
    """Return what the references say, None if nobody has compared the clock for a minute."""
    watch = _watch()
    if watch is None or unwatched():
        return None
    return judge(fresh(watch.watched_at), behind=False)


def differs() -> list[AlarmRow]:
    """Return the watch if one kind of references says another time: that alone stops no sale."""
    watch, verdict = _watch(), _verdict()
    if watch is None or watch.unsound or verdict is None:
        return []
    if verdict.cause or not verdict.ahead_us:
        return []
    words = gettext(
        "Difference in seconds: %(seconds)s. Sales go on, as one kind of references stops nothing."
    )
    at = watch.watched_at + clock.offset()
    text = words % {"seconds": round(verdict.ahead_us / 1e6)}
    return [AlarmRow(gettext("The clock of the database"), at, words=text)]


def references_few() -> list[AlarmRow]:
    """Return the watch if fewer kinds of references than needed give the time."""
    watch, verdict = _watch(), _verdict()
    if watch is None or verdict is None or len(verdict.kinds) >= NEEDED:
        return []
    words = gettext("Kinds of references that say the time: %(n)s of 3; two are needed.")
    text = words % {"n": len(verdict.kinds)}
    at = watch.watched_at + clock.offset()
    return [AlarmRow(gettext("The clock of the database"), at, words=text)]


def workers_silent() -> list[AlarmRow]:
    """Return the workers if one has answered before, and none for a minute."""
    watch = _watch()
    if watch is None or watch.swept_at is None or machines().works:
        return []
    words = gettext("Sales go on; closings, settlements and papers wait.")
    return [AlarmRow(gettext("The workers"), watch.swept_at + clock.offset(), words=words)]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="clock_unsound",
        title=gettext_lazy("The clock is not to be trusted"),
        power=powers.WATCH,
        rows=unsound,
        immediate=True,
    ),
    Alarm(
        code="clock_differs",
        title=gettext_lazy("The clock and a reference say different times"),
        power=powers.WATCH,
        rows=differs,
        immediate=True,
    ),
    Alarm(
        code="clock_unwatched",
        title=gettext_lazy("Nobody compares the clock"),
        power=powers.WATCH,
        rows=unwatched,
    ),
    Alarm(
        code="clock_references_few",
        title=gettext_lazy("The clock has too few references"),
        power=powers.WATCH,
        rows=references_few,
    ),
    Alarm(
        code="workers_silent",
        title=gettext_lazy("No worker answers"),
        power=powers.WATCH,
        rows=workers_silent,
    ),
)

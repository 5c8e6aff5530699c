"""Read long work: what waits or was cut off, and what a person may see."""

import datetime
from collections.abc import Iterable

from django.db.models import Q, QuerySet

from core.database import clock
from core.database.locks import Lock, held
from core.longwork import powers
from core.longwork.models import LongWork
from core.staff.actor import StaffActor

SENT_AGAIN_AFTER = datetime.timedelta(seconds=60)
"""After so long a message that no worker took has lapsed (CELERY_TASK_ANNOTATIONS)."""


def work_of(by: StaffActor) -> QuerySet[LongWork]:
    """Return the work that this person may see: their own, or all of it. Raises PowerMissing."""
    by.need(powers.READ)
    everything = LongWork.objects.select_related("asked_by")
    return everything if by.may(powers.READ_ALL) else everything.filter(asked_by=by.user_id)


def to_hand_on() -> Iterable[int]:
    """Return the ids of the work that must be sent to a worker, or was cut off."""
    return [*waiting(), *cut_off()]


def waiting() -> list[int]:
    """Return the work that waits and was not sent within the last minute, the oldest first."""
    unsent_work = LongWork.objects.filter(unsent(clock.now()), state=LongWork.State.WAITING)
    return list(unsent_work.order_by("pk").values_list("pk", flat=True))


def unsent(now: datetime.datetime) -> Q:
    """Return the condition of work that was not sent within the last minute.

    A time to come was written by a clock that was wrong.
    """
    return Q(sent_at=None) | Q(sent_at__lt=now - SENT_AGAIN_AFTER) | Q(sent_at__gt=now)


def cut_off() -> list[int]:
    """Return the work that is called running and that no session does."""
    running = LongWork.objects.filter(state=LongWork.State.RUNNING)
    begun = list(running.order_by("pk").values_list("pk", flat=True))
    if not begun:
        return []
    done_now = held(Lock.LONG_WORK)
    return [pk for pk in begun if pk & 0x7FFFFFFF not in done_now]

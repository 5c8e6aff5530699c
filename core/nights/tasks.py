"""Run the night from Celery beat, every hour, for the work that is due and not done.

The sweeper has one that was cut off gone on with at once.
"""

import structlog
from celery import shared_task
from kombu.exceptions import OperationalError

from core.database.clock import ClockUnsound
from core.database.due_work import DueWork
from core.kernel.errors import Unavailable
from core.nights.selectors import cut_off, undone
from core.nights.services import night_run

LONGEST_S = 12 * 3600
"""A night that takes longer is cut off; the next one goes on after the jobs that are done."""
log = structlog.get_logger("nights")


@shared_task(time_limit=LONGEST_S)  # type: ignore[untyped-decorator]
def night() -> int:
    """Do what is due. Return how many jobs ran. If another process runs the night, or the clock
    cannot be trusted, do nothing.
    """
    for undone_job in undone():
        if undone_job.missed:
            log.warning("job missed", job=undone_job.job.name, day=undone_job.day.isoformat())
    try:
        return len(night_run())
    except (Unavailable, ClockUnsound) as obstacle:
        log.info("night not run", reason=obstacle.code)
        return 0


@shared_task  # type: ignore[untyped-decorator]
def go_on(pk: int) -> bool:
    """Send a night that was cut off in that job to a worker, to go on.

    It never runs the night itself: that would delay the caller, a sweep for example.
    """
    if pk not in cut_off():
        return False
    try:
        night.delay()
    except OperationalError as error:  # the broker is away: it is sent again
        log.warning("night not sent", error=type(error).__name__)
    return False


# The beat starts the night at its time, and what was cut off is gone on with at once.
DUE: tuple[DueWork, ...] = (DueWork(go_on, cut_off),)

"""Run the night from Celery beat, every hour, for the work that is due and not done.

A night that was cut off is begun again at once, by the sweeper.
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
    """Ask a worker to go on with the night that was cut off in that run.

    It does not run the night itself, because its caller, a sweep for example, would wait.
    """
    if pk not in cut_off():
        return False
    try:
        night.delay()
    except OperationalError as error:  # the broker is away: it is sent again
        log.warning("night not sent", error=type(error).__name__)
    return False


# The beat starts the night at its time. The sweeper starts one that was cut off.
DUE: tuple[DueWork, ...] = (DueWork(go_on, cut_off),)

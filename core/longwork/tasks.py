"""Do long work in a worker of the queue `long`, and notice work that was cut off."""

import structlog
from celery import shared_task
from kombu.exceptions import OperationalError

from core.database.due_work import DueWork
from core.longwork import selectors, services

LONGEST_S = 12 * 3600
"""Work that takes longer is cut off, and says so."""
log = structlog.get_logger("longwork")


@shared_task(time_limit=LONGEST_S)  # type: ignore[untyped-decorator]
def do(pk: int) -> bool:
    """Do a piece of work that waits. Return whether it was done here."""
    return services.work_do(pk)


@shared_task  # type: ignore[untyped-decorator]
def hand_on(pk: int) -> bool:
    """Send work that waits to the workers of the queue `long`, or say that it was cut off.

    It never does the work itself: that would delay the caller, a night for example.
    """
    if services.work_cut_off(pk) or not services.work_sent(pk):
        return False
    try:
        do.delay(pk)
    except OperationalError as error:  # the broker is away: it waits, and is sent again
        log.warning("long work not sent", work=pk, error=type(error).__name__)
    return False


DUE = (DueWork(hand_on, selectors.to_hand_on),)

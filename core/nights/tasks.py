"""The night, as Celery beat starts it: every hour, for what was due and is not done yet."""

import structlog
from celery import shared_task

from core.kernel.errors import Unavailable
from core.nights.selectors import undone
from core.nights.services import night_run

log = structlog.get_logger("nights")


@shared_task  # type: ignore[untyped-decorator]
def night() -> int:
    """Do what is due; how many jobs were run. Another runner at work is not an error."""
    for each in undone():
        if each.missed:
            log.warning("job missed", job=each.job.name, day=each.day.isoformat())
    try:
        return len(night_run())
    except Unavailable as obstacle:
        log.info("night not run", reason=obstacle.code)
        return 0

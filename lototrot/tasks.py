"""Run the work of Lototrot that the database lists as due, as Celery tasks.

A task takes an id, reads the state again and may run twice: finished work stays as it is.
"""

import logging

from celery import shared_task

from core.database.due_work import DueWork
from core.kernel.errors import Conflict, Unavailable
from lototrot.services.contest.closing import closings_due, contest_close_due
from lototrot.services.prizes.carry_over import carry_overs_due, lapsed_carry_over
from lototrot.services.seal.sealing import contest_seal, seals_due
from lototrot.services.settlement.settling import contest_settle, settlements_due
from lototrot.services.settlement.unprinted import prints_due, prints_end

logger = logging.getLogger(__name__)


@shared_task  # type: ignore[untyped-decorator]
def close(contest_id: int) -> bool:
    """Record the closing of a contest whose schedule has passed."""
    return contest_close_due(contest_id=contest_id)


@shared_task  # type: ignore[untyped-decorator]
def seal(contest_id: int) -> bool:
    """Seal a closed contest. Return whether it is sealed."""
    try:
        contest_seal(contest_id=contest_id)
    except (Conflict, Unavailable) as obstacle:
        logger.info("contest %s is not sealed: %s", contest_id, obstacle.code)
        return False
    return True


@shared_task  # type: ignore[untyped-decorator]
def end_prints(contest_id: int) -> bool:
    """Erase the secret of a closed contest, and list what was not printed [E11]."""
    return prints_end(contest_id=contest_id)


@shared_task  # type: ignore[untyped-decorator]
def settle(contest_id: int) -> bool:
    """Settle a contest, if it can be settled now. Return whether it is settled.

    The sweeper finds a contest again that is not ready or that another worker is settling. A broken
    invariant is an error of the task, for a person to examine.
    """
    try:
        settlement = contest_settle(contest_id=contest_id)
    except (Conflict, Unavailable) as obstacle:
        logger.info("contest %s is not settled: %s", contest_id, obstacle.code)
        return False
    logger.info("contest %s is settled: %s", contest_id, settlement.uuid)
    return True


@shared_task  # type: ignore[untyped-decorator]
def carry_over(contest_id: int) -> int:
    """Carry unclaimed prizes over into the 7/7 of a meeting. Return the cents carried over."""
    return lapsed_carry_over(contest_id=contest_id)


DUE: tuple[DueWork, ...] = (
    DueWork(close, closings_due),
    DueWork(seal, seals_due),
    DueWork(end_prints, prints_due),
    DueWork(carry_over, carry_overs_due),
    DueWork(settle, settlements_due),
)

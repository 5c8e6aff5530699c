"""Run the tasks of running accounts that the sweeper sends."""

from celery import shared_task

from core.database.due_work import DueWork
from core.statements.guarantee import cover_apply, covers_due


@shared_task  # type: ignore[untyped-decorator]
def cover(premises_id: int) -> bool:
    """Suspend or resume the sales of premises according to their guarantee."""
    return cover_apply(premises_id=premises_id)


DUE: tuple[DueWork, ...] = (DueWork(cover, covers_due),)

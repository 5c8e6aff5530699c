"""Run the Celery tasks of the journal. The database says what is due; the tasks do it soon."""

from celery import shared_task

from core.database.due_work import DueWork
from core.journal.services import batch_seal, batches_due, checkpoint_publish, checkpoints_due


@shared_task  # type: ignore[untyped-decorator]
def seal(number: int) -> bool:
    """Seal the next batch; return whether there was one."""
    return batch_seal() is not None


@shared_task  # type: ignore[untyped-decorator]
def publish(number: int) -> bool:
    """Publish the checkpoint of a batch; return whether there is one."""
    return checkpoint_publish(number=number) is not None


DUE: tuple[DueWork, ...] = (
    DueWork(seal, batches_due),
    DueWork(publish, checkpoints_due),
)

"""Run the Celery tasks of the journal. The database says what is due; the tasks do it soon."""

import datetime

from celery import shared_task

from core.journal.services import batch_seal, checkpoint_publish


@shared_task  # type: ignore[untyped-decorator]
def seal(number: int) -> bool:
    """Seal the next batch; return whether there was one."""
    return batch_seal() is not None


@shared_task  # type: ignore[untyped-decorator]
def publish(day: int) -> bool:
    """Publish the checkpoint of a day, given by its ordinal; return whether there is one."""
    return checkpoint_publish(day=datetime.date.fromordinal(day)) is not None

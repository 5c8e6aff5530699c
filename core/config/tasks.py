"""The sweeper: finds what is due in the database, whatever became of the broker's messages."""

from celery import shared_task

from core.database.due_work import send_due


@shared_task  # type: ignore[untyped-decorator]
def sweep() -> int:
    return send_due()

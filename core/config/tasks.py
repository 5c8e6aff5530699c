"""Run the sweeper, which sends what is due even if the broker has lost messages."""

from celery import shared_task

from core.database.due_work import note_worker, send_due


@shared_task  # type: ignore[untyped-decorator]
def sweep() -> int:
    """Send the tasks that are due, note that a worker lives; return the number of tasks sent."""
    note_worker()
    return send_due()

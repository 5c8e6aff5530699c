"""Run the sweeper, which sends what is due even if the broker has lost messages."""

from celery import shared_task

from core.database.due_work import send_due


@shared_task  # type: ignore[untyped-decorator]
def sweep() -> int:
    """Send the tasks that are due; return the number of tasks sent."""
    return send_due()

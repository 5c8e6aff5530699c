"""What the sweeper has done for running accounts."""

from celery import shared_task

from core.statements.guarantee import cover_apply


@shared_task  # type: ignore[untyped-decorator]
def cover(premises_id: int) -> bool:
    """Suspend or resume the sales of premises, as their guarantee covers what they owe."""
    return cover_apply(premises_id=premises_id)

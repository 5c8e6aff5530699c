"""Run the Celery tasks of the public log."""

import structlog
from celery import shared_task

from core.database.due_work import DueWork
from core.proofs.delivery import deliver, deliveries_due
from core.proofs.models import Receiver

log = structlog.get_logger("proofs")


@shared_task  # type: ignore[untyped-decorator]
def deliver_to(receiver_id: int) -> int:
    """Deliver the entries that a receiver of the public log lacks; return how many it took."""
    taken = deliver(receiver_id=receiver_id)
    receiver = Receiver.objects.get(pk=receiver_id)
    if receiver.failures:
        log.warning("receiver lacks entries", address=receiver.address, error=receiver.last_error)
    return taken


DUE: tuple[DueWork, ...] = (DueWork(deliver_to, deliveries_due),)

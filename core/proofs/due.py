"""List the tasks of the public log that the sweeper sends, each with the ids that are due."""

from core.database.due_work import DueWork
from core.proofs.delivery import deliveries_due
from core.proofs.tasks import deliver_to

DUE: tuple[DueWork, ...] = (DueWork(deliver_to, deliveries_due),)

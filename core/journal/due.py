"""List the tasks of the journal that the sweeper sends, each with the ids that are due."""

from core.database.due_work import DueWork
from core.journal.services import batches_due, days_due
from core.journal.tasks import publish, seal

DUE: tuple[DueWork, ...] = (
    DueWork(seal, batches_due),
    DueWork(publish, lambda: [day.toordinal() for day in days_due()]),
)

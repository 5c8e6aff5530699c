"""List the tasks of premises' accounts for the sweeper, each with the ids that are due."""

from core.database.due_work import DueWork
from core.statements.guarantee import covers_due
from core.statements.tasks import cover

DUE: tuple[DueWork, ...] = (DueWork(cover, covers_due),)

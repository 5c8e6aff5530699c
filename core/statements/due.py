"""The tasks of premises' accounts that the sweeper sends, each with the ids that are due."""

from core.database.due_work import DueWork
from core.statements.guarantee import covers_due
from core.statements.tasks import cover

DUE: tuple[DueWork, ...] = (DueWork(cover, covers_due),)

"""The tasks of Promotrot that the sweeper sends, each with the ids that are due."""

from core.database.due_work import DueWork
from promotrot.selectors.closing import emissions_without_top, reveals_due
from promotrot.selectors.public import figures_due
from promotrot.selectors.vouchers import secrets_due
from promotrot.tasks import forget_codes, reveal, stop, take_figures

DUE: tuple[DueWork, ...] = (
    DueWork(stop, emissions_without_top),
    DueWork(reveal, reveals_due),
    DueWork(take_figures, figures_due),
    DueWork(forget_codes, secrets_due),
)

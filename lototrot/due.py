"""List the tasks of Lototrot that the sweeper sends, each with a function that finds due ids."""

from core.database.due_work import DueWork
from lototrot.services.contest.closing import closings_due
from lototrot.services.prizes.carry_over import carry_overs_due
from lototrot.services.seal.sealing import seals_due
from lototrot.services.settlement.settling import settlements_due
from lototrot.tasks import carry_over, close, seal, settle

DUE: tuple[DueWork, ...] = (
    DueWork(close, closings_due),
    DueWork(seal, seals_due),
    DueWork(carry_over, carry_overs_due),
    DueWork(settle, settlements_due),
)

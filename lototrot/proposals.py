"""List the acts of Lototrot that two persons must do."""

from lototrot.services.authority import amendments, bet_types, ending
from lototrot.services.contest import preparing, schedule
from lototrot.services.races import (
    classification,
    declarations,
    signals,
    starts,
    stopping,
    withdrawals,
)
from lototrot.services.settlement import (
    breach,
    classification_correction,
    payment_order,
    start_correction,
    unprinted,
)
from lototrot.services.tickets import putting_on_sale

KINDS = (
    bet_types.BET_TYPE,
    amendments.AMENDMENT,
    ending.END,
    preparing.DISCARD,
    putting_on_sale.OPENING,
    withdrawals.WITHDRAWAL,
    withdrawals.REVERSAL,
    schedule.POSTPONEMENT,
    stopping.LIFTING,
    signals.APPOINTMENT,
    starts.START,
    start_correction.CORRECTION,
    declarations.DECLARATION,
    declarations.RETRACTION,
    classification.CLASSIFICATION,
    classification_correction.CORRECTION,
    breach.VOID,
    breach.BLOCK,
    unprinted.DECISION,
    payment_order.PAYMENT_ORDER,
)

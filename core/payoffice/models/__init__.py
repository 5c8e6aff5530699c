"""Collect the tables of the prize office."""

from core.payoffice.models.cash import CashMovement, CashSession
from core.payoffice.models.cheques import Cheque
from core.payoffice.models.claims import Claim, Presentation, Ruling
from core.payoffice.models.deposits import (
    Deposit,
    DepositArrival,
    DepositImage,
    DepositMatch,
    Restoration,
)
from core.payoffice.models.goods import Exchange, StockCorrection, StockItem, StockMovement
from core.payoffice.models.losses import (
    ChequeRecovery,
    ChequeWriteOff,
    LossEntry,
    VoidedChequePayment,
)
from core.payoffice.models.payments import CashCeiling, Payee, Payment
from core.payoffice.models.retired import RetiredPayments

__all__ = [
    "CashCeiling",
    "CashMovement",
    "CashSession",
    "Cheque",
    "ChequeRecovery",
    "ChequeWriteOff",
    "Claim",
    "Deposit",
    "DepositArrival",
    "DepositImage",
    "DepositMatch",
    "Exchange",
    "LossEntry",
    "Payee",
    "Payment",
    "Presentation",
    "Restoration",
    "RetiredPayments",
    "Ruling",
    "StockCorrection",
    "StockItem",
    "StockMovement",
    "VoidedChequePayment",
]

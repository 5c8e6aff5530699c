"""Collect the tables of running accounts."""

from core.statements.models.accounts import (
    SECOND_PERSON_AT_LATEST_CENTS,
    CommissionRate,
    GuaranteeLimit,
    Mark,
    MarkedBalance,
    Remittance,
    Statement,
    Till,
)
from core.statements.models.cash_ups import CashUp
from core.statements.models.retired import (
    RetiredCommission,
    RetiredRemittances,
    RetiredStatements,
)

__all__ = [
    "SECOND_PERSON_AT_LATEST_CENTS",
    "CashUp",
    "CommissionRate",
    "GuaranteeLimit",
    "Mark",
    "MarkedBalance",
    "Remittance",
    "RetiredCommission",
    "RetiredRemittances",
    "RetiredStatements",
    "Statement",
    "Till",
]

"""Transfers of a time that a test chooses."""

import datetime
import uuid

from core.ledger import services as ledger
from core.ledger.models import Transfer


def transfer_at(
    at: datetime.datetime, debit: ledger.AccountCode, credit: ledger.AccountCode, cents: int
) -> int:
    """Insert a transfer with that time, as a transaction that was under way then; return its id."""
    accounts = ledger.account_open([debit, credit])
    transfer = Transfer.objects.create(
        reference=uuid.uuid4(),
        line=0,
        kind="test",
        debit=accounts[debit.code],
        credit=accounts[credit.code],
        amount_cents=cents,
        at=at,
    )
    return transfer.pk

"""Transfers of a time that a test chooses, and openings that nobody retired a month for."""

import datetime
import uuid

from core.ledger import services as ledger
from core.ledger.blocks import ACCOUNTS, in_blocks
from core.ledger.models import Account, OpeningBalance, Transfer


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


def opening_of(
    account: Account, up_to: int, ends_at: datetime.datetime, *, debit_cents: int
) -> OpeningBalance:
    """Insert an opening with one transfer to the debit of one account."""
    ((block, transfers),) = in_blocks({account.pk: 1}).items()
    return OpeningBalance.objects.create(
        block=block,
        up_to=up_to,
        ends_at=ends_at,
        debits_cents=in_blocks({account.pk: debit_cents})[block],
        credits_cents=[0] * ACCOUNTS,
        transfers=transfers,
    )

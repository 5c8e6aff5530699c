"""Constraints of the ledger's tables."""

import uuid

import pytest
from django.db import DatabaseError, Error, IntegrityError, transaction

from core.database import clock
from core.ledger import services as ledger
from core.ledger.models import Account, Transfer

pytestmark = pytest.mark.django_db

CASH, POOL = ledger.asset("test:cash"), ledger.liability("test:pool")


def line(cents: int, debit: ledger.AccountCode = CASH) -> ledger.Line:
    return ledger.Line("test", debit, POOL, cents)


@pytest.mark.parametrize(
    ("constraint", "lines"),
    [
        ("transfer_positive", [line(-1)]),
        ("transfer_moves", [line(1, POOL)]),
        ("transfer_at_most", [line(10**15 + 1)]),
        ("transfer_positive", [line(5), line(-5)]),
    ],
)
def test_the_database_refuses_what_is_no_transfer(
    constraint: str, lines: list[ledger.Line]
) -> None:
    with pytest.raises(DatabaseError, match=constraint), transaction.atomic():
        ledger.post(reference=uuid.uuid4(), lines=lines)
    assert not Transfer.objects.exists()


def test_a_line_of_an_act_is_posted_once() -> None:
    reference = uuid.uuid4()
    ledger.post(reference=reference, lines=[line(1)])
    with pytest.raises(IntegrityError, match="transfer_once"), transaction.atomic():
        ledger.post(reference=reference, lines=[line(1)])


def test_accounts_and_transfers_are_never_changed_nor_deleted() -> None:
    ledger.post(reference=uuid.uuid4(), lines=[line(1)])
    for rows, change in (
        (Transfer.objects.all(), {"amount_cents": 2}),
        (Account.objects.all(), {"side": Account.Side.DEBIT}),
    ):
        with pytest.raises(Error), transaction.atomic():
            rows.update(**change)
        with pytest.raises(Error), transaction.atomic():
            rows.delete()


def test_a_code_is_one_account() -> None:
    ledger.account_open([CASH])
    with pytest.raises(IntegrityError), transaction.atomic():
        Account.objects.create(code=CASH.code, side=Account.Side.DEBIT, opened_at=clock.now())

"""A figure of an account is found by its block; arrays that are not of a block are refused."""

from typing import Any

import pytest
from django.db import IntegrityError, connections, transaction

from core.database.clock import now
from core.ledger import services as ledger
from core.ledger.blocks import ACCOUNTS, by_account, in_blocks
from core.ledger.models import Account
from tests.support.databases import Database

NONE = [0] * ACCOUNTS


def test_each_account_has_its_place_in_a_block() -> None:
    figures = {1: 7, ACCOUNTS - 1: -7, ACCOUNTS: 2, 5 * ACCOUNTS + 3: 4, 6: 0}
    blocks = in_blocks(figures)
    assert list(blocks) == [0, 1, 5]
    assert {len(each) for each in blocks.values()} == {ACCOUNTS}
    assert blocks[0][1] == -blocks[0][ACCOUNTS - 1] == 7
    assert by_account(blocks.items()) == {account: n for account, n in figures.items() if n}
    assert in_blocks({6: 0}) == in_blocks({}) == {}


@pytest.fixture
def account(own_database: Database) -> int:
    return ledger.account_open([ledger.asset("test:cash")])["test:cash"].pk


def write(block: int, *arrays: list[Any]) -> None:
    """Try to write an opening as the owner, with no other trigger than that of its sums."""
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE ledger_openingbalance DISABLE TRIGGER USER")
        cursor.execute("ALTER TABLE ledger_openingbalance ENABLE TRIGGER sums")
        cursor.execute(
            "INSERT INTO ledger_openingbalance"
            " (block, up_to, ends_at, debits_cents, credits_cents, transfers)"
            " VALUES (%s, 1, now(), %s, %s, %s)",
            [block, *arrays],
        )
        transaction.set_rollback(True, using="owner")


def test_an_opening_has_three_sums_of_each_account(account: int) -> None:
    ((block, one),) = in_blocks({account: 1}).items()
    write(block, one, NONE, one)
    write(block, NONE, one, one)
    minus = [-each for each in one]
    gap = [None, *one[1:]] if account % ACCOUNTS else [*one[:-1], None]
    for arrays in (
        (one, NONE, NONE),
        (one, NONE, minus),
        (minus, NONE, one),
        (one, minus, one),
        (one, one, NONE),
        (one[:-1], NONE, one),
        (one, [], one),
        ([*one, 0], NONE, one),
        ([*NONE[1:], 1], NONE, one),
        (gap, NONE, one),
        (one, gap, one),
        (one, NONE, gap),
        (one, NONE, [one[: ACCOUNTS // 2], one[ACCOUNTS // 2 :]]),
    ):
        with pytest.raises(IntegrityError, match="block"):
            write(block, *arrays)


def test_an_opening_of_an_account_that_is_not_there_is_refused(account: int) -> None:
    ((block, one),) = in_blocks({account: 1}).items()
    with pytest.raises(IntegrityError, match="not the figures of its accounts"):
        write(block + 1_000, one, NONE, one)
    with pytest.raises(IntegrityError, match="not the figures of its accounts"):
        write(block, [1] * ACCOUNTS, NONE, [1] * ACCOUNTS)


def test_an_account_without_a_place_in_a_block_is_refused(account: int) -> None:
    """The next opening would leave out the sums of its transfers."""
    for ident in (0, -1):
        with pytest.raises(IntegrityError, match="account_has_place"), transaction.atomic():
            Account.objects.create(pk=ident, code=f"test:{ident}", side="debit", opened_at=now())
    with pytest.raises(IntegrityError, match="not the figures of its accounts"):
        write(0, [1, *NONE[1:]], NONE, [1, *NONE[1:]])

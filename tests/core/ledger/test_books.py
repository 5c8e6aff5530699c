"""Balances rebuilt from what happened, compared with the ledger."""

import uuid

from core.ledger import services as ledger
from core.ledger.books import Books, Difference, differences

CASH, POOL = ledger.asset("test:cash"), ledger.liability("test:pool")


def test_balances_stand_on_the_normal_side_of_their_account() -> None:
    books = Books()
    books.move([ledger.Line("test", CASH, POOL, 500), ledger.Line("test", POOL, CASH, 100)])
    assert (books.cents(CASH), books.cents(POOL)) == (400, 400)
    assert books.codes() == {"test:cash", "test:pool"}
    assert books.cents(ledger.asset("test:unused")) == 0


def test_a_transfer_that_nothing_explains_is_a_difference(db: None) -> None:
    assert differences() == (0, [])
    ledger.post(reference=uuid.uuid4(), lines=[ledger.Line("test", CASH, POOL, 500)])
    assert differences() == (
        2,
        [Difference("test:cash", 500, 0), Difference("test:pool", 500, 0)],
    )

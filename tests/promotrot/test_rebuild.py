"""Rebuild Promotrot's balances from tickets, plays and vouchers, before and after a closing."""

import uuid

import pytest
from django.db import connection

from core.ledger import services as ledger
from core.ledger.books import Books, differences
from core.ledger.services import Line, asset
from promotrot import accounts
from promotrot.rebuild import _VOUCHERS, rebuild_promotrot
from promotrot.selectors.closing import _UNCLAIMED
from tests.support import emitting

pytestmark = pytest.mark.django_db


@pytest.mark.article("15.III.6.2")
def test_the_books_are_what_was_sold_awarded_and_closed() -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 30)
    books = Books()
    rebuild_promotrot(books)
    assert books.cents(accounts.takings(emission.reference)) == 3_000
    awarded = books.cents(accounts.vouchers(emission.reference))
    assert books.cents(accounts.prizes("small")) == -awarded
    emission = emitting.closed(emission)
    books = Books()
    rebuild_promotrot(books)
    assert books.cents(accounts.takings(emission.reference)) == 0
    assert differences()[1] == []


def test_the_vouchers_of_an_emission_are_found_without_reading_those_of_all() -> None:
    """A closing waits for it with its game locked, and the audit asks it of each emission."""
    for query in (_UNCLAIMED, _VOUCHERS):
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")
            cursor.execute(f"EXPLAIN {query}", {"emission": 1, "game": 1})
            plan = "\n".join(row[0] for row in cursor.fetchall())
        assert "Seq Scan on promotrot_voucher" not in plan, plan


def test_a_transfer_that_nothing_explains_is_a_difference() -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 3)
    account = accounts.takings(emission.reference)
    ledger.post(reference=uuid.uuid4(), lines=[Line("test", asset("treasury"), account, 9)])
    (row,) = [row for row in differences()[1] if row.account == account.code]
    assert (row.ledger_cents, row.rebuilt_cents) == (309, 300)

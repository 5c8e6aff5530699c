"""The value of a thing is corrected while others exchange it, and the journal knows it."""

import threading
from functools import partial

import pytest
from django.db import transaction

from core.payoffice.models import Exchange
from core.staff import two_persons
from core.staff.powers import Role
from tests.core.payoffice.services.test_stock_values import (
    balances,
    corrected,
    exchanged,
    rules_broken,
)
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.concurrency.sales import apart, together
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, touched

pytestmark = pytest.mark.article("15.III.6.5")


class _Store:
    """Two bicycles in stock, and a voucher for each with a cashier of its own."""

    def __init__(self) -> None:
        factories.time_to(rounds.NOON)
        self.vouchers, place = given.bicycles(), given.office()
        self.keeper = given.stocked(place, 2)
        self.cashiers = [given.cashier(place) for _ in self.vouchers]


@pytest.mark.parametrize("kept", [True, False])
def test_an_exchange_waits_for_a_correction_and_has_its_value(
    own_database: Database, kept: bool
) -> None:
    store = _Store()
    proposal, second = corrected(store.keeper, 40), factories.staff(Role.ORGANISER)
    done, go_on = threading.Event(), threading.Event()

    def correct() -> None:
        with transaction.atomic():
            two_persons.confirm(proposal=proposal.uuid, by=second)
            done.set()
            assert go_on.wait(30)
            transaction.set_rollback(not kept)

    correcting = apart(correct)
    assert done.wait(30)
    exchanging = apart(lambda: exchanged(store.cashiers[0], store.vouchers[0]))
    go_on.set()
    correcting.result(30)
    exchanging.result(30)
    unit_cents = 40 if kept else 400
    assert Exchange.objects.get().unit_cents == unit_cents
    assert balances() == (unit_cents, 400 - unit_cents)
    rounds.books_agree()
    assert rules_broken() == []


def test_a_correction_and_exchanges_at_once_leave_books_that_agree(
    own_database: Database,
) -> None:
    store = _Store()
    proposal, second = corrected(store.keeper, 40), factories.staff(Role.ORGANISER)
    answers = together(
        partial(two_persons.confirm, proposal=proposal.uuid, by=second),
        *(partial(exchanged, *each) for each in zip(store.cashiers, store.vouchers, strict=True)),
    )
    assert [each for each in answers if isinstance(each, Exception)] == []
    assert balances() == (0, 720)
    rounds.books_agree()
    assert rules_broken() == []


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ("payoffice_stockcorrection SET to_cents = 41", "payoffice_stockcorrection.as_named"),
        ("payoffice_stockcorrection SET units = 2", "payoffice_stockcorrection.posted"),
        ("payoffice_stockcorrection SET to_cents = 41", "payoffice_stockitem.corrected"),
    ],
)
def test_the_journal_names_a_correction_that_is_not_what_it_was(
    own_database: Database, change: str, rule: str
) -> None:
    """The triggers were taken away before the row was changed."""
    factories.time_to(rounds.NOON)
    keeper = given.stocked(given.office())
    given.confirmed(corrected(keeper, 40))
    assert rules_broken() == []
    with as_owner(own_database), touched(change.split()[0]):
        execute(f"UPDATE {change}")
        assert rule in rules_broken()


def test_the_journal_names_a_value_that_nobody_corrected(own_database: Database) -> None:
    factories.time_to(rounds.NOON)
    given.stocked(given.office())
    with as_owner(own_database):
        execute("ALTER TABLE payoffice_stockitem DISABLE TRIGGER corrected")
        execute("UPDATE payoffice_stockitem SET unit_cents = 1")
    assert rules_broken() == ["payoffice_stockitem.corrected"]

"""A month leaves while others sell and read: nobody sees half of it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.db import connections, transaction

from core.database import clock
from core.database.reading.snapshot import snapshot
from core.journal.verifying import Fault, verify
from core.kernel.days import natural_day
from core.ledger import services as ledger
from core.ledger.books import differences
from core.ledger.models import Transfer
from core.ledger.openings import newest
from core.periods import nightly
from core.periods.models import ClosedPeriod
from core.statements import nightly as stating
from tests.core.periods.archive.conftest import own_month as own_month
from tests.core.periods.archive.conftest import retired
from tests.core.periods.archive.test_statements_leave import (
    IN_PART,
    LEFT,
    PAYMENTS,
    STATEMENTS,
    named,
    night,
    of_shop,
    settle,
    sound,
)
from tests.core.periods.archive.test_statements_leave import june as june
from tests.support import factories
from tests.support.concurrency.sales import apart, elsewhere
from tests.support.journaling import meanwhile, seal_all
from tests.support.stating import debts_now


@pytest.fixture
def leave(own_month: ClosedPeriod, tmp_path: Path) -> Callable[[], None]:
    """March is closed; the function lets it leave, on a connection of its own."""

    def retire() -> None:
        try:
            retired(ClosedPeriod.objects.get(), tmp_path)
            seal_all()
            nightly.remove(natural_day(clock.now()))
        finally:
            connections.close_all()

    def in_thread() -> None:
        with ThreadPoolExecutor(1) as other:
            other.submit(retire).result()
        assert not Transfer.objects.filter(pk__lte=newest()).exists()

    return in_thread


def row_findings() -> list[str]:
    return [each.what for each in verify().findings if each.what is not Fault.RULE]


def test_a_sale_under_way_is_counted_and_stays(leave: Callable[[], None]) -> None:
    contest, place = factories.contest(), factories.point()
    factories.acknowledge(contest, place)
    with transaction.atomic():
        sold = factories.sell(contest, place)
        leave()
    assert sold.outcome == "sold"
    assert debts_now()[place.premises.pk] == contest.price_cents
    seal_all()
    assert (differences()[1], row_findings()) == ([], [])


def test_an_audit_in_a_snapshot_reads_the_month_that_left_meanwhile(
    leave: Callable[[], None],
) -> None:
    with snapshot():
        held, debts = ledger.balances(), debts_now()
        apart(leave).result()
        assert newest() == 0
        assert (ledger.balances(), debts_now()) == (held, debts)
        assert differences()[1] == []
    assert newest() > 0
    assert (ledger.balances(), debts_now()) == (held, debts)


@pytest.mark.parametrize("words", ["ledger_standing", "statements_mark", "ledger_openingbalance"])
def test_balances_that_are_read_while_a_month_leaves_are_whole(
    leave: Callable[[], None], words: str
) -> None:
    held, debts = ledger.balances(), debts_now()

    def read() -> tuple[object, object]:
        return ledger.balances(), debts_now()

    with meanwhile(words, leave):
        assert read() == (held, debts)
    assert read() == (held, debts)
    assert stating.audit_everything().counts["statements"] > 0


def test_a_payment_of_an_old_statement_under_way_stays_and_the_retirement_waits_for_it(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    stays = of_shop(IN_PART)
    with transaction.atomic():
        settle(stays, "TRF 8/2030", 10)
        leaving = elsewhere(lambda: retired(june, tmp_path))
        assert not leaving.done()
    leaving.result()
    assert named(june) == {STATEMENTS: (4 * LEFT, 2 * LEFT), PAYMENTS: (3, 2)}
    assert night() > 0 and night() == 0
    assert stays.remittances.count() == 2
    sound()

"""Count each movement of an operator in one shift, whatever is under way when it is closed."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction

from core.database import clock
from core.journal import acting
from core.journal.rules import broken
from core.premises.credentials import OperatorSession
from core.premises.requests import UuidReused, new_uuid
from core.statements.cash_ups import DrawerMoved, cash_up_close, drawer
from core.statements.journal_rules import DRAWER
from core.statements.models import CashUp
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, touched


def _close(place: factories.Point, expected: int, ident: uuid.UUID | None = None) -> CashUp:
    with acting.acting("test", terminal=place.terminal.pk, operator=place.operator.pk):
        return cash_up_close(
            by=place.actor,
            ident=ident or new_uuid(),
            expected_cents=expected,
            float_cents=0,
            counted_cents=expected,
        )


def test_a_sale_under_way_is_counted_in_the_next_shift(own_database: Database) -> None:
    """Its time is before the cash-up, and it commits after: by time alone it would be lost."""
    contest, place = factories.contest(), factories.point()
    factories.acknowledge(contest, place)
    factories.sell(contest, place)
    price = contest.price_cents
    sold, closed = threading.Event(), threading.Event()

    def sell() -> None:
        try:
            with transaction.atomic():
                factories.sell(contest, place)
                sold.set()
                assert closed.wait(60)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        selling = pool.submit(sell)
        assert sold.wait(60)
        first = _close(place, price)
        closed.set()
        selling.result()
    assert drawer(by=place.actor).expected_cents == price
    assert _close(place, price).number == first.number + 1
    assert drawer(by=place.actor).expected_cents == 0
    with as_owner(own_database):
        assert not list(broken(DRAWER))
        with touched("statements_cashup"):
            execute("UPDATE statements_cashup SET snapshot = '3:3:' WHERE number = 2")
            assert [row for _, row, _ in broken(DRAWER)] == [CashUp.objects.get(number=2).pk]


def test_a_shift_is_closed_once_with_what_was_shown(own_database: Database) -> None:
    contest, place = factories.contest(), factories.point()
    factories.acknowledge(contest, place)
    factories.sell(contest, place)
    price = contest.price_cents
    with pytest.raises(DrawerMoved):
        _close(place, price + 1)
    cash_up = _close(place, price)
    assert _close(place, price, cash_up.uuid) == cash_up
    with pytest.raises(UuidReused):
        _close(place, price + 1, cash_up.uuid)


def test_a_first_shift_over_midnight_counts_what_was_moved_before_it(
    own_database: Database,
) -> None:
    """Its money was in the drawer, and in no cash-up: it was shown nothing after midnight."""
    factories.time_to(datetime(2030, 3, 2, 22, 55, tzinfo=UTC))  # five to twelve in Madrid
    contest, place = factories.contest(), factories.point()
    factories.acknowledge(contest, place)
    factories.sell(contest, place)
    assert drawer(by=place.actor).expected_cents == contest.price_cents
    factories.time_pass(minutes=10)
    assert _close(place, contest.price_cents).number == 1
    assert drawer(by=place.actor).expected_cents == 0
    with as_owner(own_database):
        assert not list(broken(DRAWER))


def test_a_first_shift_has_the_days_after_which_nobody_cashed_up(own_database: Database) -> None:
    """The operator signed off before midnight: that day's money was in no cash-up at all."""
    contest, place = factories.contest(), factories.point()
    factories.acknowledge(contest, place)
    factories.sell(contest, place)
    assert drawer(by=place.actor).expected_cents == contest.price_cents
    OperatorSession.objects.filter(terminal=place.terminal).update(ended_at=clock.now())
    for day in (1, 2):
        factories.time_pass(days=1)
        now = clock.now()
        OperatorSession.objects.create(
            terminal=place.terminal,
            operator=place.operator,
            token_digest=bytes([day]) * 32,
            started_at=now,
            expires_at=now + timedelta(hours=12),
        )
    assert drawer(by=place.actor).expected_cents == contest.price_cents
    _close(place, contest.price_cents)
    assert drawer(by=place.actor).expected_cents == 0
    with as_owner(own_database):
        assert not list(broken(DRAWER))

"""An emission's closing has every sale and award before it, those under way too (15.III.6.2)."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection, transaction

from core.database.locks import Lock, hold
from core.ledger.books import differences
from core.ledger.models import Transfer
from core.reports.parts import Span
from promotrot import accounts
from promotrot.day_parts import DAY_PARTS
from promotrot.engine.shortfall import Closing
from promotrot.models.emission import Emission
from promotrot.models.voucher import Voucher
from promotrot.selectors.closing import emission_figures
from promotrot.services import closing
from promotrot.services.dealing import dealing
from promotrot.services.emissions import emission_get
from tests.support import emitting, factories

pytestmark = [pytest.mark.usefixtures("own_database"), pytest.mark.article("15.III.6.2")]
LIMIT_S = 30


@contextmanager
def in_flight(act: Callable[[], Any]) -> Iterator[Callable[[], Any]]:
    """The act done on another connection and not committed until the function given is called."""
    written, go = threading.Event(), threading.Event()

    def run() -> Any:
        try:
            with transaction.atomic():
                result = act()
                written.set()
                if not go.wait(LIMIT_S):
                    raise TimeoutError
            return result
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(run)

        def commit() -> Any:
            go.set()
            return acting.result(LIMIT_S)

        try:
            assert written.wait(LIMIT_S), acting.exception(0)
            yield commit
        finally:
            go.set()


def _closing(emission: Emission) -> "Future[Emission]":
    """The closing on another connection, when it is done or waits for somebody."""

    def run() -> Emission:
        try:
            return emitting.closed(emission)
        finally:
            connection.close()

    pool = ThreadPoolExecutor(1)
    future = pool.submit(run)
    pool.shutdown(wait=False)
    until = time.monotonic() + LIMIT_S
    while not future.done() and not _somebody_waits():
        assert time.monotonic() < until
        time.sleep(0.005)
    return future


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)"
            " WHERE NOT l.granted AND a.datname = current_database())"
        )
        return bool(cursor.fetchone()[0])


def _winner_in_hand() -> tuple[Emission, factories.Point, list[Any]]:
    """An emission whose tickets are sold up to a winning one, which is not played yet."""
    emission, point = emitting.opened(emitting.small()), factories.point()
    dealt = dealing(emission.pk)
    count = 1 + next(at for at in range(emission.tickets) if dealt.tier(0, at))
    tickets = emitting.sold(emission, count, point)
    emitting.played(point, tickets[:-1])
    return emission, point, tickets[-1:]


def test_a_closing_waits_for_a_sale_under_way_and_counts_it() -> None:
    emission, point = emitting.opened(emitting.small()), factories.point()
    with in_flight(lambda: emitting.sold(emission, 1, point)) as commit:
        acting = _closing(emission)
        assert not acting.done()
        commit()
        assert acting.result(LIMIT_S).closing.document["sold"] == 1
    assert differences()[1] == []


def _met_by_an_award() -> tuple[bool, int]:
    """Whether the closing waited for an award under way, and what it says was awarded."""
    emission, point, winner = _winner_in_hand()
    with in_flight(lambda: emitting.played(point, winner)) as commit:
        acting = _closing(emission)
        waited = not acting.done()
        commit()
        acting.result(LIMIT_S)
    document = emission_get(emission.reference).closing.document
    return waited, int(document["awarded_cents"])


def test_a_closing_waits_for_an_award_under_way_and_counts_it() -> None:
    waited, awarded = _met_by_an_award()
    assert waited and awarded > 0
    assert differences()[1] == []


def test_without_the_emissions_lock_that_award_is_lost_to_the_statement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without(*wanted: tuple[Lock, int]) -> None:
        hold(*(each for each in wanted if each[0] is not Lock.EMISSION))

    monkeypatch.setattr(closing, "hold", without)
    waited, awarded = _met_by_an_award()
    assert not waited and awarded == 0
    assert differences()[1] != []


def test_an_award_that_waits_for_the_closing_is_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The organiser bears it, and a replay of the day knows that by the two times."""
    emission, point, winner = _winner_in_hand()
    counting, go = threading.Event(), threading.Event()

    def counted(closing_of: Emission) -> Closing:
        counting.set()
        assert go.wait(LIMIT_S)
        return emission_figures(closing_of)

    monkeypatch.setattr(closing, "emission_figures", counted)
    with ThreadPoolExecutor(2) as pool:
        closed = pool.submit(_and_end, lambda: emitting.closed(emission))
        assert counting.wait(LIMIT_S)
        playing = pool.submit(_and_end, lambda: emitting.played(point, winner))
        until = time.monotonic() + LIMIT_S
        while not _somebody_waits():
            assert time.monotonic() < until
            time.sleep(0.005)
        go.set()
        closed.result(LIMIT_S)
        playing.result(LIMIT_S)
    voucher = Voucher.objects.get(ticket__uuid=winner[0])
    assert Transfer.objects.get(reference=voucher.uuid).debit.code == accounts.late_awards().code
    assert emission_get(emission.reference).closing.closed_at < voucher.issued_at
    (part,) = DAY_PARTS
    issued = [e for e in part.events(Span.of(voucher.issue_day)) if e.row == voucher]
    assert [event.data["late"] for event in issued] == [True]


def _and_end(act: Callable[[], Any]) -> Any:
    """Do an act on this thread's connection, and close it."""
    try:
        return act()
    finally:
        connection.close()

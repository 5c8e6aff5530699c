"""Settlements killed, doubled and disturbed, in real processes and on real commits."""

import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connections

from core.database import locks
from core.ledger.models import Transfer
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize, Settlement
from lototrot.services import long_acts
from lototrot.services.settlement import settling
from lototrot.services.settlement.settling import SettlementBusy, contest_settle, settlement_reverse
from tests.support import factories, rounds
from tests.support.concurrency import stopping
from tests.support.concurrency.forking import stopped
from tests.support.concurrency.meeting import Meeting
from tests.support.databases import Database
from tests.support.factories import Point

WAIT_S = 60
RULES = rounds.rules(**rounds.TWO_LEGS)
FACTS = [Race((1, 2, 3), winners=frozenset({1}))] * 2


@pytest.fixture
def point(own_database: Database) -> Point:
    factories.time_to(rounds.NOON)
    return factories.point()


@pytest.fixture
def contest(point: Point) -> Contest:
    """A contest that has been run: three tickets of 1.00, one with both races right."""
    new_contest = rounds.contest(RULES, [(1, 2, 3)] * 2)
    rounds.sell(new_contest, point, [(1, 1), (1, 2), (2, 4)])
    rounds.run(new_contest, FACTS)
    return new_contest


def state_of(contest: Contest) -> str:
    return str(Contest.objects.get(pk=contest.pk).state)


def in_thread(pool: ThreadPoolExecutor, work: Callable[[], Any]) -> Future[Any]:
    """The work's result or exception, with a connection of its own that is closed afterwards."""

    def run() -> Any:
        try:
            return work()
        except (DatabaseError, SettlementBusy) as error:
            return error
        finally:
            connections.close_all()

    return pool.submit(run)


# --- kill -9 --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "place",
    [
        ("settlement", "winners_count", "after"),
        ("settlement", "prizes_insert", "before"),
        ("settlement", "prizes_insert", "after"),
        ("ledger", "post", "after"),
        ("settlement", "_verify", "after"),
    ],
    ids=" ".join,
)
def test_a_worker_killed_in_the_middle_leaves_nothing_and_the_next_one_settles(
    own_database: Database, contest: Contest, place: tuple[str, str, str], tmp_path: Path
) -> None:
    work = (stopping.settle, contest.pk, *place)
    environment, output = own_database.environment, tmp_path / "worker"
    with stopped(*work, environment=environment, output=output) as worker:
        assert worker.kill() == -signal.SIGKILL
        assert state_of(contest) == Contest.State.CLOSED
        assert not Settlement.objects.exists()
        assert not Prize.objects.exists()
        assert not Transfer.objects.filter(kind="lototrot.pool").exists()
        assert settling.settlements_due() == [contest.pk]
        settled = _settle_when_free(contest)
    assert settled.number == 1
    assert len(rounds.prizes(settled)) == 2
    rounds.books_agree()


def test_a_worker_killed_after_its_commit_has_settled(
    own_database: Database, contest: Contest, tmp_path: Path
) -> None:
    work = (stopping.settle, contest.pk, "tasks", "contest_settle", "after")
    with stopped(*work, environment=own_database.environment, output=tmp_path / "worker"):
        pass
    assert state_of(contest) == Contest.State.SETTLED
    assert settling.settlements_due() == []
    assert contest_settle(contest_id=contest.pk) == Settlement.objects.get()


def _settle_when_free(contest: Contest) -> Settlement:
    """The server finds out about the dead client within a moment; until then it is busy."""
    for _ in range(WAIT_S):
        try:
            return contest_settle(contest_id=contest.pk)
        except SettlementBusy:
            continue
    raise AssertionError("the dead worker's locks were never released")


# --- two at once ----------------------------------------------------------------------------------


def both_at_once(contest: Contest, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return the outcomes of two workers, each of which waits for the other to count too."""
    meeting, count = Meeting(), settling.winners_count

    def together(*args: Any) -> Any:
        meeting.come()
        return count(*args)

    def settle() -> Settlement:
        try:
            return contest_settle(contest_id=contest.pk)
        finally:
            meeting.end()

    monkeypatch.setattr(settling, "winners_count", together)
    with ThreadPoolExecutor(2) as pool:
        work = [in_thread(pool, settle) for _ in range(2)]
        return [future.result(WAIT_S) for future in work]


def test_of_two_workers_one_settles_and_the_other_finds_it_busy(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = both_at_once(contest, monkeypatch)
    assert sorted(type(result).__name__ for result in results) == ["Settlement", "SettlementBusy"]
    assert Settlement.objects.count() == 1
    rounds.books_agree()


def test_without_the_lock_the_two_workers_collide(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: the constraint still keeps a second settlement out, but only by an error."""
    monkeypatch.setattr(settling, "hold_for_long", lambda *_, **__: None)
    results = both_at_once(contest, monkeypatch)
    assert sorted(type(result).__name__ for result in results) == ["IntegrityError", "Settlement"]
    assert any(isinstance(result, IntegrityError) for result in results)


# --- what goes on meanwhile -----------------------------------------------------------------------


@contextmanager
def settling_meanwhile(contest: Contest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The body runs while a settlement of the contest is under way, its rows already written."""
    written, go_on = threading.Event(), threading.Event()
    verify = settling._verify

    def waiting(*args: Any) -> None:
        written.set()
        assert go_on.wait(WAIT_S)
        verify(*args)

    monkeypatch.setattr(settling, "_verify", waiting)
    with ThreadPoolExecutor(1) as pool:
        work = in_thread(pool, lambda: contest_settle(contest_id=contest.pk))
        try:
            assert written.wait(WAIT_S)
            yield
        finally:
            go_on.set()
            result = work.result(WAIT_S)
    assert isinstance(result, Settlement)


@pytest.mark.article("14.III.4")
def test_a_late_sale_is_refused_at_once_and_another_contest_sells_during_a_settlement(
    contest: Contest, point: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = factories.contest(kind="eight-races")
    with settling_meanwhile(contest, monkeypatch):
        _wait_for_no_lock()
        assert factories.sell(contest, point, [(1,), (1,)]).outcome == "contest_closed"
        assert factories.sell(other, point).outcome == "sold"


def test_with_the_contests_lock_held_alone_the_late_sale_would_wait(
    contest: Contest, point: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: the harness sees a sale that has to wait for the settlement."""
    alone = locks.hold
    monkeypatch.setattr(long_acts, "hold", lambda *wanted, **_: alone(*wanted))
    with settling_meanwhile(contest, monkeypatch):
        _wait_for_no_lock()
        with pytest.raises(DatabaseError, match="lock timeout"):
            factories.sell(contest, point, [(1,), (1,)])


def _wait_for_no_lock() -> None:
    """From here on this connection's statements fail rather than wait for a lock."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SET lock_timeout = '300ms'")


def test_nothing_about_the_contest_changes_during_its_settlement(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    by = factories.staff()
    with settling_meanwhile(contest, monkeypatch):
        _wait_for_no_lock()
        with pytest.raises(DatabaseError, match="lock timeout"):
            settlement_reverse(contest_id=contest.pk, by=by)
    settlement_reverse(contest_id=contest.pk, by=by)
    assert state_of(contest) == Contest.State.CLOSED
    rounds.books_agree()

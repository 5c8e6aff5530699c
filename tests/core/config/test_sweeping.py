"""Do what is due without the broker, and once for two beats."""

import datetime
from collections.abc import Iterator

import pytest
from kombu.exceptions import OperationalError as BrokerError

from core.config import sweeping, tasks
from core.config.celery import app
from core.database import clock, due_work
from core.database.due_work import note_worker
from core.database.models import ClockWatch
from core.journal.models import Act, Change
from lototrot.models.contest import Contest
from lototrot.models.sealing import Seal
from lototrot.tasks import settle
from tests.support import factories
from tests.support.concurrency.sales import together

pytestmark = pytest.mark.usefixtures("own_database")


def server_time() -> datetime.datetime:
    """Return the time of the server, without what simulated time was moved."""
    return clock.now() - clock.offset()


@pytest.fixture
def contest() -> Contest:
    """Return a contest whose closing has come."""
    contest = factories.contest()
    factories.time_to(contest.scheduled_close_at)
    ClockWatch.objects.create(newest_at=server_time(), watched_at=server_time())
    return contest


@pytest.fixture
def no_broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = app.conf.broker_url
    app.conf.broker_url = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(app, "_pool", None)
    monkeypatch.setattr(app.amqp, "_producer_pool", None)
    yield
    app.conf.broker_url = before


@pytest.fixture
def tasks_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Do a task where it is sent. No broker is asked for a sweep: the test sweeps."""
    monkeypatch.setattr(due_work, "_sweep_ask", lambda: None)
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = False


def test_what_is_due_is_done_without_a_broker(contest: Contest, no_broker: None) -> None:
    with pytest.raises(BrokerError):
        tasks.sweep()
    assert sweeping.sweep_alone() is None  # the sweep came, it only could not send: wait
    swept = server_time() - datetime.timedelta(seconds=sweeping.AFTER_S + 1)
    ClockWatch.objects.update(swept_at=swept)
    done = sweeping.sweep_alone() or {}
    assert (done["lototrot.tasks.close"], done["lototrot.tasks.seal"]) == (1, 1)
    contest.refresh_from_db()
    assert contest.closed_at == contest.scheduled_close_at
    assert ClockWatch.objects.get().swept_at == swept  # nobody takes it for a sweep
    assert Act.objects.filter(source__name=sweeping.ACT).exists()


def test_who_sends_a_task_does_not_wait_for_a_broker_that_is_away(
    contest: Contest, no_broker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses_s: list[float] = []
    monkeypatch.setattr("kombu.utils.functional.sleep", pauses_s.append)
    with pytest.raises(BrokerError):
        settle.delay(contest.pk)
    assert pauses_s == []


def test_nobody_sweeps_alone_while_sweeps_come(contest: Contest) -> None:
    note_worker()
    assert sweeping.sweep_alone() is None
    contest.refresh_from_db()
    assert contest.closed_at is None


def test_one_worker_of_two_sweeps_alone(contest: Contest) -> None:
    done = together(sweeping.sweep_alone, sweeping.sweep_alone)
    closed = [
        each["lototrot.tasks.close"] for each in done if each and "lototrot.tasks.close" in each
    ]
    assert closed == [1]


def test_what_two_beats_send_at_once_is_done_once(contest: Contest, tasks_at_once: None) -> None:
    for _ in range(2):  # the first closes, the second seals
        assert all(isinstance(sent, int) for sent in together(tasks.sweep, tasks.sweep))
    contest.refresh_from_db()
    assert (contest.state, contest.closed_at) == ("closed", contest.scheduled_close_at)
    changes = Change.objects.filter(relation="lototrot_contest", row_id=contest.pk)
    assert changes.filter(after__has_key="closed_at").count() == 1
    assert Seal.objects.count() == 1

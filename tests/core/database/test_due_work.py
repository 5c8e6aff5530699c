"""Do and send what is due, whatever fails."""

import os
import signal
import threading
import time
from queue import Empty, Queue
from select import select
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from celery import Celery, current_app
from django.db import DatabaseError, transaction
from kombu.exceptions import OperationalError

from core.database import due_work
from core.kernel.errors import Conflict


@pytest.fixture(params=[DatabaseError, KeyError])
def left(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> set[int]:
    """Return the ids of work of which the first two fail, and the last makes more due."""
    left, errors = {1, 2, 3}, {1: Conflict, 2: request.param}

    def run(pk: int) -> bool:
        if pk < 3:
            raise errors[pk]
        left.discard(pk)
        left.update({4} if pk == 3 else ())
        return True

    task = mock.Mock(side_effect=run)
    task.name = "work"
    work = SimpleNamespace(task=task, due=lambda: sorted(left))
    monkeypatch.setattr(due_work, "due_work", lambda: [work])
    return left


@pytest.mark.django_db
def test_what_is_due_is_done_until_only_failures_are_left(
    left: set[int],
) -> None:
    done, failed = due_work.do_due()
    assert done == {"work": 2}
    assert failed.keys() == {("work", 1), ("work", 2)}
    assert failed["work", 1] == "conflict"
    assert failed["work", 2] in ("DatabaseError", "KeyError")
    assert left == {1, 2}


@pytest.mark.django_db
def test_everything_that_is_due_is_sent(left: set[int]) -> None:
    assert due_work.send_due() == 3


@pytest.mark.django_db
@pytest.mark.parametrize("error", [DatabaseError, ValueError])
def test_work_that_cannot_be_listed_keeps_no_other_from_being_done(
    left: set[int], monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    """One app's question that fails must not keep contests open."""

    def fails() -> list[int]:
        raise error

    broken = SimpleNamespace(task=mock.Mock(), due=fails)
    broken.task.name = "broken"
    (work,) = due_work.due_work()
    monkeypatch.setattr(due_work, "due_work", lambda: [broken, work])
    with pytest.raises(error):
        due_work.send_due()
    assert work.task.delay.call_count == 3
    done, failed = due_work.do_due()
    assert done == {"work": 2}
    assert failed["broken", 0] == error.__name__


@pytest.mark.django_db
def test_a_sweep_is_asked_for_once_the_work_is_committed(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent = Queue[tuple[str, int]]()
    monkeypatch.setattr(current_app, "send_task", lambda name, expires: sent.put((name, expires)))
    with django_capture_on_commit_callbacks(execute=True):
        due_work.sweep_soon()
        assert sent.empty()
    assert sent.get(timeout=60) == ("core.config.tasks.sweep", 30)


@pytest.mark.django_db
def test_contests_that_are_closed_together_ask_for_one_sweep(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    sent = Queue[str]()
    monkeypatch.setattr(current_app, "send_task", lambda name, expires: sent.put(name))
    monkeypatch.setattr(due_work, "_TOGETHER_S", 0.5)
    with django_capture_on_commit_callbacks(execute=True):
        with transaction.atomic():
            due_work.sweep_soon()
            transaction.set_rollback(True)
        for _ in range(2):
            with transaction.atomic():
                due_work.sweep_soon()
    sent.get(timeout=60)
    with pytest.raises(Empty):
        sent.get(timeout=1)
    due_work._sweep_begin()  # what is committed later is asked for again
    sent.get(timeout=60)


def test_a_request_whose_thread_never_ran_stops_no_later_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A process at its limit of threads must ask again when it has one."""
    sent = Queue[str]()
    monkeypatch.setattr(current_app, "send_task", lambda name, expires: sent.put(name))
    with (
        mock.patch.object(threading.Timer, "start", side_effect=RuntimeError),
        pytest.raises(RuntimeError),
    ):
        due_work._sweep_begin()
    due_work._sweep_begin()
    sent.get(timeout=60)


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_that_was_forked_while_one_waited_asks_for_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A thread does not live on in the child."""
    reading, writing = os.pipe()
    monkeypatch.setattr(due_work, "_TOGETHER_S", 0.5)
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: os.write(writing, b"1"))
    due_work._sweep_begin()
    child = os.fork()
    if child == 0:
        due_work._sweep_begin()
        time.sleep(60)
        os._exit(0)
    asked = 0
    while asked < 2 and select([reading], [], [], 30)[0]:
        asked += len(os.read(reading, 2))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert asked == 2


@pytest.mark.django_db
def test_what_is_undone_asks_for_no_sweep(django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks() as callbacks, transaction.atomic():
        due_work.sweep_soon()
        transaction.set_rollback(True)
    assert callbacks == []


@pytest.mark.django_db
def test_a_process_without_the_project_s_application_asks_nobody(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    """A command of the console: the application of Celery's own has no broker."""
    monkeypatch.setattr("celery.current_app", Celery("default", set_as_current=False))
    with django_capture_on_commit_callbacks() as callbacks:
        due_work.sweep_soon()
    assert callbacks == []


def test_a_broker_that_is_away_fails_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse = mock.Mock(side_effect=OperationalError)
    monkeypatch.setattr(current_app, "send_task", refuse)
    due_work._sweep_ask()
    refuse.assert_called_once()

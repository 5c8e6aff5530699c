"""Do and send what is due, whatever fails."""

from queue import Queue
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from celery import Celery, current_app
from django.db import DatabaseError, connection, transaction
from kombu.exceptions import OperationalError

from core.database import due_work
from core.kernel.errors import Conflict


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Return the ids of work of which the first two fail, and the last makes more due."""
    left = {1, 2, 3}

    def run(pk: int) -> bool:
        if pk < 3:
            raise Conflict if pk == 1 else DatabaseError
        left.discard(pk)
        left.update({4} if pk == 3 else ())
        return True

    task = mock.Mock(side_effect=run)
    task.name = "work"
    work = SimpleNamespace(task=task, due=lambda: sorted(left))
    monkeypatch.setattr(due_work, "due_work", lambda: [work])
    return left


def test_what_is_due_is_done_until_only_failures_are_left(left: set[int]) -> None:
    done, failed = due_work.do_due()
    assert done == {"work": 2}
    assert failed == {("work", 1): "conflict", ("work", 2): "DatabaseError"}
    assert left == {1, 2}


@pytest.mark.django_db
def test_everything_that_is_due_is_sent(left: set[int]) -> None:
    assert due_work.send_due() == 3


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
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        with transaction.atomic():
            due_work.sweep_soon()
            transaction.set_rollback(True)
        assert connection.run_on_commit == []
        for _ in range(2):
            with transaction.atomic():
                due_work.sweep_soon()
    assert len(callbacks) == 1


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

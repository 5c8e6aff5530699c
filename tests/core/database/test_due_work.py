"""Do and send what is due, whatever fails."""

from types import SimpleNamespace
from unittest import mock

import pytest
from django.db import DatabaseError

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

"""Ask each question once within one reading, and anew outside of it."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.db import connection, transaction

from core.database import clock
from core.database.reading.once import WriteWithinReading, once, one_reading

_asked: list[int] = []


@once
def _double(number: int) -> int | None:
    _asked.append(number)
    if number < 0:
        raise ValueError
    return 2 * number or None


@pytest.fixture(autouse=True)
def _nothing_asked() -> None:
    _asked.clear()


def test_each_question_is_asked_once_within_a_reading_and_anew_after_it() -> None:
    with one_reading():
        assert [_double(1), _double(1), _double(2), _double(0), _double(0)] == [2, 2, 4, None, None]
        with one_reading():
            assert _double(1) == 2
        assert _double(2) == 4
    assert _asked == [1, 2, 0]
    with one_reading():
        assert _double(1) == 2
    assert _double(1) == _double(1) == 2
    assert _asked == [1, 2, 0, 1, 1, 1]


def test_a_reading_that_fails_keeps_nothing() -> None:
    for _ in range(2):
        with one_reading():
            for _ in range(2):
                with pytest.raises(ValueError):
                    _double(-1)
    with pytest.raises(KeyError), one_reading():
        raise KeyError
    assert _double(1) == _double(1)
    assert _asked == [-1] * 4 + [1, 1]


@pytest.mark.django_db
def test_one_reading_is_of_one_instant() -> None:
    with one_reading():
        instant = clock.now()
        assert clock.now() == instant
    assert clock.now() > instant


@pytest.mark.django_db
def test_a_write_within_a_reading_is_refused_and_one_after_it_is_not() -> None:
    """An answer kept before the write would be wrong after it."""
    session = Session(session_key="k", session_data="", expire_date=clock.now())
    kept = connection.execute_wrappers.copy()
    writers: list[Callable[[], Any]] = [
        session.save,
        Session.objects.all().delete,
        partial(Session.objects.update, session_data="x"),
        _with,
    ]
    for write in writers:
        with pytest.raises(WriteWithinReading), one_reading(), one_reading(), transaction.atomic():
            write()
        assert connection.execute_wrappers == kept
    with one_reading(), transaction.atomic():
        assert not list(Session.objects.select_for_update())
    session.save()
    assert Session.objects.count() == 1


def _with() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH gone AS (DELETE FROM django_session RETURNING 1) SELECT count(*) FROM gone"
        )


def test_what_another_adds_to_the_connection_meanwhile_stays() -> None:
    """A trace is put on a connection when it is opened, which may be within a reading."""

    def trace(execute: Any, *statement: Any) -> Any:
        return execute(*statement)

    before = connection.execute_wrappers.copy()
    with one_reading():
        connection.execute_wrappers.append(trace)
    assert connection.execute_wrappers == [*before, trace]
    connection.execute_wrappers.remove(trace)

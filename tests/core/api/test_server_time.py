"""The clock on every answer: while one asks the database, the others go on by what is known."""

import datetime
from unittest import mock

import pytest
from django.db import DatabaseError
from django.http import HttpResponse

from core.api import server_time

NOON = datetime.datetime(2030, 4, 1, 12, tzinfo=datetime.UTC)


@pytest.fixture(autouse=True)
def forgotten() -> None:
    server_time.forget()


def stamped() -> HttpResponse:
    response = HttpResponse()
    server_time.stamp(response)
    return response


def test_one_asks_and_nobody_waits_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_time, "_ask", lambda monotonic: (monotonic - 9, NOON, ""))
    stamped()
    meanwhile: list[str] = []

    def ask(monotonic: float) -> tuple[float, datetime.datetime, str]:
        meanwhile.append(stamped()[server_time.TIME_HEADER])  # as another thread would
        return monotonic, NOON, ""

    monkeypatch.setattr(server_time, "_ask", ask)
    assert stamped()[server_time.TIME_HEADER].startswith("2030-04-01T12:00:00")
    assert [each[:19] for each in meanwhile] == ["2030-04-01T12:00:09"]


def test_without_a_database_there_is_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_time, "_ask", lambda monotonic: (monotonic - 9, NOON, ""))
    stamped()
    monkeypatch.setattr(server_time, "_ask", mock.Mock(side_effect=DatabaseError))
    for _ in range(2):
        assert server_time.TIME_HEADER not in stamped()

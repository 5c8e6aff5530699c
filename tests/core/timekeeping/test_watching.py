"""Watch the clock from threads of a process."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import InterfaceError, OperationalError

from core.database.models import ClockWatch
from core.journal.models import Act
from core.timekeeping import watching
from core.timekeeping.models import Reading
from tests.support.databases import Database


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    end_s = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end_s:
            return False
        time.sleep(0.05)
    return True


def test_a_process_compares_every_second_with_all_it_can_ask(
    own_database: Database, settings: Any, tmp_path: Path
) -> None:
    settings.LOG_RECEIVERS = [str(tmp_path), "/none/such"]
    settings.NTP_SERVER = "127.0.0.1:1"
    watch = watching.start()
    try:
        assert within(20, lambda: Reading.objects.count() == 2 and ClockWatch.objects.exists())
        first = ClockWatch.objects.get().watched_at
        assert within(20, lambda: ClockWatch.objects.get().watched_at > first)
    finally:
        watch.stop()
    assert set(Reading.objects.values_list("kind", flat=True)) == {"machine", "receiver"}
    assert set(Act.objects.values_list("source__name", flat=True)) <= {
        "clock.watch",
        "migrate",
        "tests",
    }


@pytest.mark.parametrize("error", [OperationalError, InterfaceError, ValueError])
def test_a_comparison_that_fails_is_made_again(
    monkeypatch: pytest.MonkeyPatch, db: None, error: type[Exception]
) -> None:
    asked = []

    def away(samples: Any) -> None:
        asked.append(samples)
        raise error

    monkeypatch.setattr(watching, "beat", away)
    monkeypatch.setattr(watching, "EVERY_S", 0.01)
    watch = watching.start()
    try:
        assert within(20, lambda: len(asked) >= 2)
    finally:
        watch.stop()

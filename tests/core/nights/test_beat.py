"""Celery's beat asks for sweeps and nights also after the clock of its machine was ahead."""

from datetime import timedelta
from pathlib import Path

import pytest
from celery.beat import PersistentScheduler
from kombu.utils.imports import symbol_by_name

from core.config.celery import app
from core.nights.beat import Beat


def waits_s(beat: PersistentScheduler) -> float:
    """Return the longest time until sweep or night are asked for."""
    return max(beat.schedule[name].is_due().next for name in app.conf.beat_schedule)


@pytest.mark.parametrize("restarted", [False, True])
def test_beat_waits_for_no_time_that_a_wrong_clock_has_seen(
    tmp_path: Path, restarted: bool
) -> None:
    """A machine that starts without a clock may be ten years ahead, and no night would come."""
    file = str(tmp_path / "schedule")
    beat = Beat(app=app, schedule_filename=file)
    beat.tick()
    for entry in beat.schedule.values():
        entry.last_run_at += timedelta(days=1)
    beat.populate_heap()
    assert waits_s(beat) > 3600
    if restarted:
        beat.close()
        beat = Beat(app=app, schedule_filename=file)
        assert waits_s(beat) > 3600
    beat.tick()
    assert waits_s(beat) <= 3600
    beat.close()


def test_it_is_the_one_that_runs() -> None:
    assert symbol_by_name(app.conf.beat_scheduler) is Beat

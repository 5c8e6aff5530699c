"""A day file on a full disk: the command says so, leaves no half file, and can be tried again."""

import datetime
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from core.nights.services import last_day
from core.reports.days.day_file import NotADayFile, replay
from core.reports.management.commands.day_file import Command
from tests.support.databases import Database


@pytest.fixture
def day(own_database: Database) -> datetime.date:
    return last_day()


@contextmanager
def full_after(size: int) -> Iterator[None]:
    """Let no file of this process have more bytes, as on a disk that has only those left."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_full_disk_leaves_no_half_file_and_a_retry_works(
    tmp_path: Path, day: datetime.date
) -> None:
    target = tmp_path / "day.jsonl"
    with full_after(50), pytest.raises(CommandError, match=r"nothing was exported: .*too large"):
        call_command(Command(), "--day", str(day), str(target))
    assert list(tmp_path.iterdir()) == []
    call_command(Command(), "--day", str(day), str(target))
    whole = target.read_bytes()
    with pytest.raises(CommandError, match="is there already"):
        call_command(Command(), "--day", str(day), str(target))
    assert [path.name for path in tmp_path.iterdir()] == ["day.jsonl"]
    assert target.read_bytes() == whole


def test_the_standard_output_of_a_full_disk_is_an_error(tmp_path: Path, day: datetime.date) -> None:
    with (
        (tmp_path / "output").open("w") as output,
        full_after(50),
        pytest.raises(CommandError, match="throw it away"),
    ):
        call_command(Command(), "--day", str(day), stdout=output)


def test_a_half_file_is_refused_by_the_replay(tmp_path: Path, day: datetime.date) -> None:
    target = tmp_path / "day.jsonl"
    call_command(Command(), "--day", str(day), str(target))
    lines = target.read_text().splitlines()
    for half in (lines[:-1], [*lines[:-1], lines[-1][:-5]]):
        with pytest.raises(NotADayFile):
            replay(half)

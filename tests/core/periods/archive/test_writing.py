"""An archive is there whole or not at all, with the same bytes, and only of a closed month.

The tests share one closed month: a test that archives it again gets the same archive.
"""

import errno
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from core.kernel.canonical import canonical_bytes, canonical_sha256
from core.periods.archive import files, writing
from core.periods.archive.files import ArchiveUnsound, PeriodNotAsPublished
from core.periods.archive.writing import ArchiveDiffers, archive_write
from core.periods.models import Archive, ClosedPeriod


def test_a_closed_month_is_written_verified_and_recorded(
    month: ClosedPeriod, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("period_archive", "2030-03", str(tmp_path))
    archive = Archive.objects.get()
    assert archive.sha256 in capsys.readouterr().out
    assert archive.sha256 == canonical_sha256(archive.manifest).hex()
    assert [path.name for path in tmp_path.iterdir()] == ["2030-03"]
    assert files.files_check(tmp_path / "2030-03") == archive.manifest
    rows = {table["table"]: table["rows"] for table in archive.manifest["tables"]}
    assert rows["lototrot_ticket"] == rows["lototrot_printconfirmation"] == 3
    assert rows["ledger_transfer"] == month.document["transfers"]["count"]


def test_the_same_month_gives_the_same_bytes_and_is_recorded_once(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = archive_write(period=month, folder=tmp_path / "a")
    assert archive_write(period=month, folder=tmp_path / "a") == first
    assert archive_write(period=month, folder=tmp_path / "b") == first
    for path in (tmp_path / "a" / "2030-03").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / "2030-03" / path.name).read_bytes()


def test_what_is_not_closed_or_not_as_published_is_refused(
    month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("2030-04", "2030-02", "nonsense"):
        with pytest.raises(CommandError, match="period_not_closed"):
            call_command("period_archive", name, str(tmp_path))
    with pytest.raises(CommandError, match="nothing was archived"):
        call_command("period_archive", "2030-03", str(tmp_path / "absent"))
    monkeypatch.setattr(files, "recount", lambda period: ["transfers"])
    with pytest.raises(PeriodNotAsPublished):
        archive_write(period=month, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def _full_disk(*args: Any, **options: Any) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _kill(*args: Any, **options: Any) -> None:
    raise KeyboardInterrupt


ENDS: list[tuple[Any, str, Callable[..., None], type[BaseException]]] = [
    (files.gzip.GzipFile, "write", _full_disk, OSError),
    (files, "canonical_sha256", _kill, KeyboardInterrupt),
    (writing, "_put", _full_disk, OSError),
]


def test_a_full_disk_or_an_end_half_way_leaves_no_archive(
    month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for place, name, ends, refusal in ENDS:
        with monkeypatch.context() as patch:
            patch.setattr(place, name, ends)
            with pytest.raises(refusal):
                archive_write(period=month, folder=tmp_path)
        assert list(tmp_path.iterdir()) == []
    assert archive_write(period=month, folder=tmp_path).period == month


def test_an_end_before_the_record_is_made_good_by_the_next(
    month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(writing, "_recorded", _kill)
        with pytest.raises(KeyboardInterrupt):
            archive_write(period=month, folder=tmp_path)
    archive_write(period=month, folder=tmp_path)
    assert files.files_check(tmp_path / "2030-03") == Archive.objects.get().manifest


def test_another_archive_of_that_month_is_not_written_over(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=month, folder=tmp_path)
    path = tmp_path / "2030-03" / "lototrot_ticket.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ArchiveUnsound):
        archive_write(period=month, folder=tmp_path)
    path.unlink()
    with pytest.raises(ArchiveUnsound):
        archive_write(period=month, folder=tmp_path)
    (tmp_path / "other" / "2030-03").mkdir(parents=True)
    manifest = tmp_path / "other" / "2030-03" / files.MANIFEST
    of_march = {"format": files.FORMAT, "number": 1, "first_day": "2030-03-01", "tables": []}
    manifest.write_bytes(canonical_bytes(of_march) + b"\n")
    with pytest.raises(ArchiveDiffers):
        archive_write(period=month, folder=tmp_path / "other")


def test_two_at_once_leave_one_archive(month: ClosedPeriod, tmp_path: Path) -> None:
    def write(_: int) -> Archive:
        try:
            return archive_write(period=month, folder=tmp_path)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(2) as pool:
        assert len({archive.pk for archive in pool.map(write, range(2))}) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["2030-03"]

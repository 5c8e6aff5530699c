"""Collect static files onto a disk that is full, and again when there is room."""

import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from django.contrib.staticfiles.finders import AppDirectoriesFinder

from core.screens.static_files import uncollected
from core.tools.embedded.server import ROOT

ROOM = 20_000  # of one file: some are larger


def collect(
    folder: Path, *, room: int = resource.RLIM_INFINITY
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--no-input"],
        cwd=ROOT,
        env=os.environ | {"PROFILE": "development", "VAR_DIR": str(folder)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_no_part_of_a_file_stays_where_the_disk_was_full(tmp_path: Path) -> None:
    """A till got half of a script: the next run called it unmodified, and ended well."""
    full = collect(tmp_path, room=ROOM)
    assert full.returncode == 1
    assert "run it again" in full.stderr and "Traceback" not in full.stderr
    assert list(tmp_path.rglob("*.part")) == []
    assert collect(tmp_path).returncode == 0
    sources = dict(reversed(list(AppDirectoriesFinder().list([]))))  # the first of a path counts
    assert sources
    cut = [
        path
        for path, storage in sources.items()
        if (tmp_path / "static" / path).stat().st_size != storage.size(path)
    ]
    assert cut == []


def test_what_another_release_collected_later_is_replaced(tmp_path: Path) -> None:
    """Files of a release have the time of its packing: who went back kept the newer scripts."""
    assert collect(tmp_path).returncode == 0
    sources = dict(reversed(list(AppDirectoriesFinder().list([]))))
    path, storage = next(iter(sources.items()))
    other = tmp_path / "static" / path
    other.write_bytes(b"of another release")  # now, so later than its source
    assert collect(tmp_path).returncode == 0
    with storage.open(path) as source:
        assert other.read_bytes() == source.read()


def test_what_is_not_collected_is_named(tmp_path: Path, settings: Any) -> None:
    settings.STATIC_ROOT = tmp_path / "static"
    all_of_them = uncollected()
    assert collect(tmp_path).returncode == 0
    assert uncollected() == []
    (tmp_path / "static" / all_of_them[0]).unlink()
    assert uncollected() == all_of_them[:1]


def test_what_collectstatic_leaves_out_is_not_missed(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor's copy beside a script refused each start, and collecting again did not help."""
    settings.STATIC_ROOT = tmp_path
    storage = next(iter(AppDirectoriesFinder().storages.values()))
    there = ["day.js", "day.js~", ".DS_Store"]
    monkeypatch.setattr(type(storage), "listdir", lambda *_: ([], there))
    assert "day.js" in uncollected()
    assert not {"day.js~", ".DS_Store"} & set(uncollected())


def test_a_folder_that_this_account_cannot_read_is_said_in_words(
    tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Collected by root with another umask, they ended the start with a trace."""
    settings.STATIC_ROOT = tmp_path
    shut = PermissionError(13, "Permission denied")
    monkeypatch.setattr(Path, "stat", Mock(side_effect=shut))
    assert uncollected()

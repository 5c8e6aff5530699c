"""Private folders: where they are made, and which of them are links."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from core.tools.embedded import folders
from core.tools.embedded.postgres import SUPERUSER, Postgres
from core.tools.embedded.processes import server_account
from tests.core.tools.embedded.conftest import SMALL

in_memory = pytest.mark.skipif(
    folders._memory_bytes() < 1 << 30, reason="no 1 GB free in /dev/shm for a server's data"
)


def test_a_folder_is_made_once_and_private(tmp_path: Path) -> None:
    link = tmp_path / "data"
    assert folders.existing(link) is None
    folder = folders.place(link, None)
    assert folders.place(link, None) == folder == folders.existing(link) == tmp_path / "data"
    assert folder.stat().st_mode & 0o777 == 0o700
    folders.remove(link)
    assert not link.exists()


def test_a_path_too_long_for_a_socket_becomes_a_link(tmp_path: Path) -> None:
    link = tmp_path / ("deep" * 30) / "run"
    link.parent.mkdir()
    folder = folders.place(link, None, most_bytes=folders.SOCKET_FOLDER_BYTES)
    assert link.is_symlink() and link.resolve() == folder
    assert len(bytes(folder)) <= folders.SOCKET_FOLDER_BYTES
    folders.remove(link)
    assert not link.is_symlink() and not folder.exists()


@in_memory
def test_a_folder_in_memory_is_a_link_and_is_made_again_when_it_was_lost(tmp_path: Path) -> None:
    link = tmp_path / "data"
    first = folders.place_in_memory(link, None, room_bytes=1)
    assert first is not None and first.is_relative_to("/dev/shm")
    assert folders.place(link, None) == first == link.resolve()
    assert folders.place_in_memory(link, None, room_bytes=1) is None  # it stays as it is
    shutil.rmtree(first)
    second = folders.place_in_memory(link, None, room_bytes=1)
    assert second is not None and second != first
    folders.remove(link)
    assert not second.exists()


def test_without_room_in_memory_nothing_is_made(tmp_path: Path) -> None:
    link = tmp_path / "data"
    assert folders.place_in_memory(link, None, room_bytes=1 << 60) is None
    assert not link.is_symlink() and not link.exists()


def test_data_on_disk_are_never_moved(tmp_path: Path) -> None:
    link = tmp_path / "data"
    here = folders.place(link, None)
    assert folders.place_in_memory(link, None, room_bytes=1) is None
    assert link.resolve() == here


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of the memory that all checkouts of the machine share."""
    shared = tmp_path / "memory"
    shared.mkdir()
    monkeypatch.setattr(folders, "_MEMORY", shared)
    return shared


def _checkout(path: Path) -> Path:
    """Make a checkout with a server's folder in memory; return that."""
    path.mkdir()
    placed = folders.place_in_memory(path / "data", None, room_bytes=1)
    assert placed is not None
    (placed / "18").mkdir()
    return placed


def test_what_removed_checkouts_left_in_memory_is_removed(memory: Path, tmp_path: Path) -> None:
    gone, emptied, stays = (_checkout(tmp_path / name) for name in ("gone", "emptied", "stays"))
    (memory / "lototrot-data-unknown").mkdir()
    (memory / "of-others").mkdir()
    (gone / "18" / "postmaster.pid").write_text(f"{_ended()}\n")
    shutil.rmtree(tmp_path / "gone")
    (tmp_path / "emptied" / "data").unlink()
    new = _checkout(tmp_path / "new")
    left = {memory / "lototrot-data-unknown", memory / "of-others", stays, new}
    assert set(memory.iterdir()) == left
    assert not gone.exists() and not emptied.exists()


def _ended() -> int:
    """Return the number of a process that has ended."""
    done = subprocess.Popen(["true"])
    done.wait()
    return done.pid


def test_what_runs_or_is_of_another_namespace_stays_in_memory(memory: Path, tmp_path: Path) -> None:
    runs, apart = _checkout(tmp_path / "runs"), _checkout(tmp_path / "apart")
    (runs / "18" / "postmaster.pid").write_text(f"{os.getpid()}\nmore\n")
    record = apart / "linked-from"
    record.write_text(record.read_text().replace("mnt:[", "mnt:[1"))
    for name in ("runs", "apart"):
        shutil.rmtree(tmp_path / name)
    new = _checkout(tmp_path / "new")
    assert set(memory.iterdir()) == {runs, apart, new}


@in_memory
def test_a_server_in_memory_is_durable_in_its_settings_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.tools.embedded.postgres._ROOM_IN_MEMORY", 1 << 30)
    server = Postgres(tmp_path / "postgres", SMALL, in_memory=True)
    try:
        with server, server._connect() as session:
            data = (server.folder / "data").resolve()
            assert data.is_relative_to("/dev/shm")
            account = server_account(data)
            assert account is None or data.stat().st_uid == account.uid
            assert server.url(SUPERUSER).startswith("postgresql://postgres:")
            for setting in ("fsync", "full_page_writes", "synchronous_commit"):
                assert session.execute(f"SHOW {setting}").fetchone() == ("on",)
    finally:
        server.destroy()
    assert not data.exists()

"""Private folders: where they are made, and which of them are links."""

import shutil
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


@in_memory
def test_a_server_in_memory_is_durable_in_its_settings_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.tools.embedded.postgres._ROOM_IN_MEMORY", 1 << 30)
    server = Postgres(tmp_path / "postgres", SMALL, in_memory=True)
    try:
        with server, server._connect("postgres") as session:
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

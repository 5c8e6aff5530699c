import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from kombu import Connection

from core.tools.embedded.valkey import Valkey, known_url


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[Valkey]:
    server = Valkey(tmp_path / "valkey")
    yield server
    server.destroy()


def send(url: str, *messages: str) -> None:
    with Connection(url) as connection, connection.SimpleQueue("queue") as queue:
        for message in messages:
            queue.put(message)


def receive(url: str) -> list[str]:
    got = []
    with (
        Connection(url) as connection,
        connection.SimpleQueue("queue") as queue,
        contextlib.suppress(queue.Empty),
    ):
        while True:
            message = queue.get_nowait()
            got.append(message.payload)
            message.ack()
    return got


def test_queued_messages_survive_a_kill_and_a_restart(valkey: Valkey) -> None:
    assert known_url(valkey.folder) is None
    with valkey:
        send(valkey.url, "one", "two")
        valkey.crash()
        send(valkey.url, "three")
    assert known_url(valkey.folder) == valkey.url
    with valkey:
        assert receive(valkey.url) == ["one", "two", "three"]
    with valkey:
        assert receive(valkey.url) == []


def test_it_is_private_to_us(valkey: Valkey) -> None:
    with valkey:
        for name in ("data", "run"):
            assert (valkey.folder / name).resolve().stat().st_mode & 0o077 == 0


def test_it_is_shared_and_stopped_by_the_last_to_leave(valkey: Valkey) -> None:
    with valkey:
        with Valkey(valkey.folder) as other:
            assert other.pid == valkey.pid
        assert valkey.pid is not None
    assert valkey.pid is None


def test_a_deep_folder_has_its_socket_elsewhere(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a-rather-deep-folder"] * 6)
    server = Valkey(deep)
    try:
        with server:
            send(server.url, "one")
            assert receive(server.url) == ["one"]
    finally:
        server.destroy()

"""The signer's socket is of one process at a time."""

import errno
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from core.proofs.signing_process import Server


def test_a_second_signer_does_not_take_the_socket_of_one_that_answers(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with Server(path) as first:
        thread = threading.Thread(target=first.serve_forever, daemon=True)
        thread.start()
        with pytest.raises(OSError, match="another signer is at work there"):
            Server(path)
        assert Path(path).is_socket()
        first.shutdown()
        thread.join()


def test_the_socket_of_a_signer_that_was_killed_is_taken(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    Server(path).server_close()
    assert Path(path).is_socket()
    Server(path).server_close()


@contextmanager
def calling(path: str, callers: int) -> Iterator[list[int]]:
    """Call at once without being taken; return the fault of each call (0: it waits)."""
    with ExitStack() as calls:
        faults = []
        for _ in range(callers):
            line = calls.enter_context(socket.socket(socket.AF_UNIX))
            line.setblocking(False)
            faults.append(line.connect_ex(path))
        yield faults


def test_a_signer_without_room_for_one_more_keeps_its_socket(tmp_path: Path) -> None:
    """It is stopped, or the machine is slow: it takes nobody, and answers afterwards."""
    path = str(tmp_path / "s")
    with Server(path) as slow, calling(path, 2 * Server.request_queue_size) as faults:
        assert faults[-1] == errno.EAGAIN
        before = Path(path).stat().st_ino
        with pytest.raises(OSError, match="another signer is at work there"):
            Server(path)
        assert Path(path).stat().st_ino == before
        assert slow.fileno() >= 0


def test_as_many_processes_as_a_machine_has_may_call_at_once(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with Server(path), calling(path, 64) as faults:
        assert set(faults) == {0}


def test_a_socket_of_another_kind_is_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(str(path))
        before = path.stat().st_ino
        with pytest.raises(OSError, match="rong type"):
            Server(str(path))
        assert path.stat().st_ino == before

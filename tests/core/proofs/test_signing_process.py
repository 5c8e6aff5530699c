"""The signer's socket is of one process at a time."""

import threading
from pathlib import Path

import pytest

from core.proofs.signing_process import Server


def test_a_second_signer_does_not_take_the_socket_of_one_that_answers(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with Server(path) as first:
        thread = threading.Thread(target=first.serve_forever, daemon=True)
        thread.start()
        with pytest.raises(OSError, match="another signer answers there"):
            Server(path)
        assert Path(path).is_socket()
        first.shutdown()
        thread.join()


def test_the_socket_of_a_signer_that_was_killed_is_taken(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    Server(path).server_close()
    assert Path(path).is_socket()
    Server(path).server_close()

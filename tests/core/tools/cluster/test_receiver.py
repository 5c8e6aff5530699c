"""Tests of the receiver: it keeps each entry once, and refuses another one of its number."""

import http.client
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.tools.embedded.server import ROOT
from core.tools.embedded.web import free_port
from tests.core.tools.embedded.conftest import wait_for


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[int]:
    port = free_port()
    words = ["-m", "core.tools.cluster.receiver", f"127.0.0.1:{port}", str(tmp_path / "kept")]
    with subprocess.Popen([sys.executable, *words], cwd=ROOT) as process:
        wait_for(lambda: _listens(port))
        yield port
        process.kill()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return not probe.connect_ex(("127.0.0.1", port))


def ask(port: int, method: str, content: bytes = b"") -> tuple[int, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request(method, "/log", content)
        answer = connection.getresponse()
        return answer.status, answer.read()


def test_an_entry_is_kept_once_and_another_of_its_number_is_refused(
    receiver: int, tmp_path: Path
) -> None:
    entry, other = (json.dumps({"sequence": 7, "is": word}).encode() for word in ("a", "b"))
    assert [ask(receiver, "POST", body)[0] for body in (entry, entry, other)] == [204, 204, 409]
    assert (tmp_path / "kept" / "000000007.json").read_bytes() == entry
    assert ask(receiver, "GET") == (200, b'{"entries": 1}')
    for body in (b"", b"[]", b'{"sequence": "x"}'):
        assert ask(receiver, "POST", body)[0] == 400

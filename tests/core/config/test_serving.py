"""Kill a web process again and again: the other one serves on, and the dead one comes back."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.config.serving import Bell, Pauses
from core.tools.embedded.server import ROOT
from core.tools.embedded.web import free_port

APPLICATION = """
import os
def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Connection", "close")])
    return [str(os.getpid()).encode()]
"""


@contextmanager
def serving(
    folder: Path, application: str, workers: int = 2
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run a server for an application in a folder; yield it and its port."""
    (folder / "answering.py").write_text(application)
    port = free_port()
    options = ["--interface", "wsgi", "--port", str(port), "--workers", str(workers), "--no-ws"]
    # A process that just starts may miss the signal to end; the limit ends it, as where we deploy.
    lasting = ["--respawn-failed-workers", "--workers-kill-timeout", "1"]
    command = ["-m", "core.config.serving", *options, *lasting]
    with subprocess.Popen(
        [sys.executable, *command, "--working-dir", str(folder), "answering:application"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as process:
        yield process, port
        process.terminate()
        process.wait(60)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server of two processes for an application that answers with its process id."""
    with serving(tmp_path, APPLICATION) as served:
        yield served


def answering(port: int) -> int | None:
    """Return the id of the process that answered, None if none did."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", "/")
        return int(connection.getresponse().read())
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def another(port: int, others: set[int]) -> int:
    """Return a process that answers and is not known; wait for it."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        process = answering(port)
        if process and process not in others:
            return process
        time.sleep(0.02)
    raise AssertionError("no other process came")


@pytest.mark.servers
def test_deaths_of_a_process_do_not_end_the_server(
    server: tuple[subprocess.Popen[bytes], int],
) -> None:
    process, port = server
    staying = another(port, set())
    seen = {staying}
    began = time.monotonic()
    for _ in range(2):
        dying = another(port, seen)
        seen.add(dying)
        os.kill(dying, signal.SIGKILL)
    another(port, seen)
    assert time.monotonic() - began < 60
    assert process.poll() is None
    os.kill(staying, 0)  # it was not taken along


REFUSING = """
import pathlib
try:
    pathlib.Path("first").touch(exist_ok=False)
except FileExistsError:
    if not pathlib.Path("mended").exists():
        raise SystemExit("refused to start: a wrong setting")
"""


@pytest.mark.servers
def test_one_process_that_is_refused_is_tried_until_it_serves(tmp_path: Path) -> None:
    with serving(tmp_path, REFUSING + APPLICATION) as (process, port):
        first = another(port, set())
        time.sleep(2)  # the other one is refused, again and again
        assert process.poll() is None
        (tmp_path / "mended").touch()
        another(port, {first})


@pytest.mark.servers
@pytest.mark.parametrize("workers", [1, 2])
def test_where_every_process_is_refused_the_server_ends_and_says_why(
    tmp_path: Path, workers: int
) -> None:
    (tmp_path / "first").touch()
    with serving(tmp_path, REFUSING + APPLICATION, workers) as (process, _):
        output, _ = process.communicate(timeout=60)
    assert b"refused to start: a wrong setting" in output
    assert process.returncode == 1


def test_who_goes_on_dying_waits_longer_each_time() -> None:
    pauses = Pauses()
    assert [pauses.next_s(100.0 + i) for i in range(4)] == [0.0, 0.25, 0.5, 1.0]
    assert max(pauses.next_s(104.0 + i) for i in range(10)) == 15.0
    assert pauses.next_s(200.0) == 0.0


@pytest.mark.servers
def test_many_signals_at_once_end_the_server(
    server: tuple[subprocess.Popen[bytes], int],
) -> None:
    process, port = server
    another(port, set())
    for number in (signal.SIGTERM, signal.SIGINT) * 100:
        process.send_signal(number)
    process.wait(30)
    assert answering(port) is None


def test_a_handler_sets_the_bell_while_the_main_thread_has_its_lock() -> None:
    bell = Bell()
    before = signal.signal(signal.SIGUSR1, lambda *_: bell.set())
    try:
        with bell._cond:  # as `wait` and `set` have it
            os.kill(os.getpid(), signal.SIGUSR1)
        assert bell.wait(30)
    finally:
        signal.signal(signal.SIGUSR1, before)

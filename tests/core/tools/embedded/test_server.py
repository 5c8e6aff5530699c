"""Start, share, kill and remove a server: a trivial one, and PostgreSQL for its pid file."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.tools.embedded.keeper import Order
from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import EmbeddedError, alive
from core.tools.embedded.server import ROOT, Server, var_folder

RINGS = """
import os, sys, time
os.chdir(sys.argv[1])
open("bell.pid", "w").write(str(os.getpid()))
time.sleep(600)
"""


class Bell(Server):
    """A server that does nothing but write its process number."""

    name = "The bell"
    times_settled = 0

    def _prepare(self) -> Order:
        data = self.folder / "data"
        data.mkdir(exist_ok=True)
        argv = [sys.executable, "-c", RINGS, str(data)]
        return Order(argv, str(self.log), signal.SIGTERM, signal.SIGKILL, None)

    def _answers(self) -> bool:
        return self.pid is not None

    def _settle(self) -> None:
        self.times_settled += 1

    @property
    def _pid_file(self) -> Path:
        return self.folder / "data" / "bell.pid"


@pytest.fixture
def bell(tmp_path: Path) -> Iterator[Bell]:
    server = Bell(tmp_path / "bell")
    yield server
    server.destroy()


def test_a_server_is_started_once_and_stopped_by_the_last_user_to_leave(bell: Bell) -> None:
    bell.start()
    bell.start()
    assert bell.times_settled == 1
    pid = bell.pid
    assert pid is not None
    with Bell(bell.folder) as other:
        assert other.pid == pid
    assert bell.pid == pid
    bell.stop()
    assert bell.pid is None and not alive(pid)


def test_a_killed_server_is_started_again(bell: Bell) -> None:
    with pytest.raises(EmbeddedError, match="The bell is not running"):
        bell.crash()
    with bell:
        pid = bell.pid
        bell.crash()
        assert bell.pid not in (None, pid)


def test_a_server_that_lost_its_power_stays_dead_until_it_is_started(bell: Bell) -> None:
    bell.start()
    pid = bell.pid
    keeper = int((bell.folder / "keeper.lock").read_text())
    assert pid is not None
    bell.lose_power()
    assert not alive(pid) and not alive(keeper)
    bell.start()
    assert bell.pid not in (None, pid)


def test_a_server_is_stopped_and_removed_though_another_user_is_left(bell: Bell) -> None:
    with Bell(bell.folder) as other:
        pid = other.pid
        assert pid is not None
        bell.destroy()
        assert not alive(pid)
        assert not bell.folder.exists()
        other.folder.mkdir()  # for its own leaving


def test_the_folder_of_this_machine_is_var_or_the_one_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    assert var_folder() == tmp_path
    monkeypatch.delenv("VAR_DIR")
    assert var_folder() == ROOT / "var"


def test_an_orphan_is_stopped_before_a_new_start(postgres: Postgres) -> None:
    """A killed keeper leaves a running server if no parent's death is signalled."""
    with postgres:
        pass
    account = {} if os.geteuid() else {"user": postgres.cluster.stat().st_uid}
    order = postgres._prepare()
    with postgres.log.open("a") as log:
        orphan = subprocess.Popen(order.argv, stdout=log, stderr=log, cwd="/", **account)
    try:
        postgres._wait_until(postgres._answers, "did not start")
        with postgres:
            assert postgres.pid not in (None, orphan.pid)
            assert orphan.wait(60) == 0
    finally:
        orphan.kill()
        orphan.wait()


def test_a_pid_file_that_names_a_stranger_is_forgotten(postgres: Postgres) -> None:
    with postgres:
        pass
    postgres._pid_file.write_text(f"{os.getpid()}\n{postgres.cluster}\n0\n5432\n")
    assert postgres.pid is None
    with postgres:
        assert postgres.pid not in (None, os.getpid())

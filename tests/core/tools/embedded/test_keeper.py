"""Keep a server running while it has users, and end it with them or with its keeper."""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core.tools.embedded.keeper import Keeper, Order, lock
from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import Account, alive
from core.tools.embedded.server import ROOT

Eventually = Callable[..., None]


def _order(folder: Path, program: str) -> Order:
    log = str(folder / "server.log")
    return Order([sys.executable, "-c", program], log, signal.SIGTERM, signal.SIGKILL, None)


@pytest.mark.parametrize("account", [None, Account("nobody", 65534, 65534)])
def test_an_order_is_read_as_it_was_written(account: Account | None) -> None:
    order = Order(["server", "--quiet"], "/tmp/log", 15, 9, account)
    assert Order.from_json(order.to_json()) == order


def _is_free(path: Path, how: int) -> bool:
    try:
        with lock(path, how | fcntl.LOCK_NB):
            return True
    except BlockingIOError:
        return False


def test_an_exclusive_lock_excludes_every_other(tmp_path: Path) -> None:
    path = tmp_path / "users.lock"
    with lock(path, fcntl.LOCK_SH):
        assert _is_free(path, fcntl.LOCK_SH)
        assert not _is_free(path, fcntl.LOCK_EX)
    with lock(path, fcntl.LOCK_EX):
        assert not _is_free(path, fcntl.LOCK_SH)
    assert _is_free(path, fcntl.LOCK_EX)


def test_a_second_keeper_of_a_folder_is_refused(tmp_path: Path) -> None:
    with lock(tmp_path / "keeper.lock", fcntl.LOCK_EX):
        second = subprocess.run(
            [sys.executable, "-m", "core.tools.embedded.keeper", str(tmp_path)],
            cwd=ROOT,
            input=_order(tmp_path, "pass").to_json(),
            capture_output=True,
            text=True,
            check=False,
        )
    assert second.returncode == 1
    assert "BlockingIOError" in second.stderr
    assert not (tmp_path / "server.log").exists()


def test_a_server_without_users_is_stopped(tmp_path: Path, eventually: Eventually) -> None:
    program = "import os, time; print(os.getpid(), flush=True); time.sleep(600)"
    keeper = subprocess.Popen(
        [sys.executable, "-m", "core.tools.embedded.keeper", str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        text=True,
    )
    log = tmp_path / "server.log"
    with lock(tmp_path / "users.lock", fcntl.LOCK_SH):
        assert keeper.stdin is not None
        keeper.stdin.write(_order(tmp_path, program).to_json())
        keeper.stdin.close()
        eventually(lambda: log.exists() and log.read_text().endswith("\n"))
        pid = int(log.read_text())
        assert alive(pid)
    assert keeper.wait(60) == 0
    assert not alive(pid)


def test_a_server_that_never_starts_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.tools.embedded.keeper._NEVER_STARTS_AFTER_S", 0)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with lock(tmp_path / "users.lock", fcntl.LOCK_SH):
        assert Keeper(tmp_path, _order(tmp_path, "raise SystemExit('no')")).run() == 1
    assert "no" in (tmp_path / "server.log").read_text()


def test_a_server_that_is_killed_soon_after_its_start_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, eventually: Eventually
) -> None:
    """Three kills within its first five seconds were taken for a server that never starts."""
    monkeypatch.setattr("core.tools.embedded.keeper._NEVER_STARTS_AFTER_S", 0)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    program = (
        "import os, signal, time; starts = open('server.log').read().count('start');"
        "print('start', flush=True); starts == 2 and time.sleep(600);"
        "os.kill(os.getpid(), signal.SIGKILL)"
    ).replace("server.log", str(tmp_path / "server.log"))
    keeper = Keeper(tmp_path, _order(tmp_path, program))
    with lock(tmp_path / "users.lock", fcntl.LOCK_SH), ThreadPoolExecutor(1) as pool:
        ended = pool.submit(keeper.run)
        try:
            log = tmp_path / "server.log"
            eventually(
                lambda: ended.done() or (log.exists() and log.read_text().count("start") == 3)
            )
        finally:
            keeper.told_to_stop = True
        assert ended.result() == 0


def test_a_killed_keeper_is_replaced(postgres: Postgres, eventually: Eventually) -> None:
    with postgres:
        pid = postgres.pid
        assert pid is not None
        os.kill(int((postgres.folder / "keeper.lock").read_text()), signal.SIGKILL)
        if sys.platform == "linux":
            eventually(lambda: not alive(pid))
    with postgres:
        assert postgres.pid not in (None, pid)

"""Processes are run with a minimal environment and recognised by number."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.tools.embedded import processes
from core.tools.embedded.processes import (
    alive,
    dying_with_parent,
    need_open_files,
    run_as,
    server_environment,
    works_in,
)


def test_a_command_runs_in_the_root_folder_with_a_minimal_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PGHOST", "elsewhere")
    assert set(server_environment()) == {"PATH", "LC_ALL", "TZ"}
    done = run_as(None, "/bin/sh", "-c", 'pwd; echo "[$PGHOST]"; exit 3')
    assert done.returncode == 3
    assert done.stdout.split() == ["/", "[]"]


def test_without_root_the_server_runs_as_the_same_account(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert processes.server_account(tmp_path) is None


def test_as_root_the_server_runs_as_the_owner_of_its_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    account = processes.server_account(tmp_path)
    assert account is not None
    assert account.uid == tmp_path.stat().st_uid


def test_a_process_is_known_by_its_number_and_its_folder(tmp_path: Path) -> None:
    child = subprocess.Popen(["/bin/sleep", "60"], cwd=tmp_path)
    try:
        assert alive(child.pid)
        if sys.platform == "linux":
            assert works_in(child.pid, tmp_path)
            assert not works_in(child.pid, tmp_path.parent)
    finally:
        child.kill()
        # A killed process that nobody has waited for is a zombie, which does not count as alive.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert sys.platform != "linux" or not alive(child.pid)
        child.wait()
    assert not alive(child.pid)
    assert not works_in(child.pid, tmp_path)


@pytest.mark.skipif(sys.platform != "linux", reason="Linux only")
def test_a_child_whose_parent_has_ended_already_gets_the_signal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ask = dying_with_parent(signal.SIGTERM)
    assert ask is not None
    signals: list[tuple[int, int]] = []
    monkeypatch.setattr(os, "getppid", lambda: -1)
    monkeypatch.setattr(os, "kill", lambda pid, number: signals.append((pid, number)))
    monkeypatch.setattr(processes._libc, "prctl", lambda *_: 0)
    ask()
    assert signals == [(os.getpid(), signal.SIGTERM)]


def test_the_limit_of_open_files_is_raised_as_far_as_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    limits: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 1024))
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: limits.append(both))
    need_open_files(8192)
    need_open_files(512)
    need_open_files(100)
    assert limits == [(1024, 1024), (512, 1024)]

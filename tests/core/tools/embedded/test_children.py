"""Tests of the processes of a stack: started, stopped in order, or killed with descendants."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.tools.embedded.children import Child
from core.tools.embedded.processes import EmbeddedError, alive

DEAF = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
PARENT = (
    "import subprocess, sys, time; sleep = [sys.executable, '-c', 'import time; time.sleep(60)'];"
    " print(subprocess.Popen(sleep).pid, flush=True); time.sleep(60)"
)
Start = Callable[..., Child]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts a Python program as a child. Kill the children at the end."""
    children: list[Child] = []

    def start(program: str, patience_s: float = 20, niceness: int = 0) -> Child:
        log = tmp_path / "child.log"
        command = [sys.executable, "-c", program]
        children.append(
            Child("child", command, dict(os.environ), log, patience_s, lambda: True, niceness)
        )
        children[-1].start()
        return children[-1]

    yield start
    for child in children:
        child.kill()


def _first_line(child: Child) -> str:
    """Return the first line, when it is whole: the child may write it piece by piece."""
    deadline = time.monotonic() + 60
    while "\n" not in child.log.read_text():
        assert time.monotonic() < deadline, "the child printed nothing"
        time.sleep(0.01)
    return child.log.read_text().splitlines()[0]


def test_a_child_that_was_never_started_has_no_pid(tmp_path: Path) -> None:
    child = Child("web", ["false"], {}, tmp_path / "web.log", 1, lambda: True)
    assert not child.running
    with pytest.raises(EmbeddedError, match=r"web was never started\."):
        _ = child.pid


def test_a_child_gives_way_with_its_whole_session(start: Start) -> None:
    """Linux shares a busy processor out among sessions before it looks at single processes."""
    program = "import os; print(os.nice(0), open('/proc/self/autogroup').read(), flush=True)"
    group = Path("/proc/self/autogroup")
    if not group.exists():
        program = "import os; print(os.nice(0), 'nice 10', flush=True)"
    line = _first_line(start(program, niceness=10))
    assert int(line.split()[0]) >= 10
    assert line.endswith("nice 10")


def test_a_child_is_stopped_when_it_is_asked(start: Start) -> None:
    child = start("print('up', flush=True); import time; time.sleep(60)")
    assert _first_line(child) == "up"
    assert child.running
    assert child.wanted
    child.ask_to_stop()
    child.wait_stopped()
    assert not child.running
    assert not child.wanted


def test_a_child_that_does_not_stop_is_killed_after_its_patience(start: Start) -> None:
    child = start(DEAF + "print('up', flush=True); import time; time.sleep(60)", patience_s=0.1)
    _first_line(child)
    child.ask_to_stop()
    child.wait_stopped()
    assert not child.running


def test_descendants_are_killed_with_their_child(start: Start) -> None:
    child = start(PARENT)
    descendant = int(_first_line(child))
    assert alive(descendant)
    child.kill()
    deadline = time.monotonic() + 60
    while alive(descendant):
        assert time.monotonic() < deadline, "a descendant outlived its child"
        time.sleep(0.01)


def test_a_child_that_is_started_again_adds_to_its_log(start: Start) -> None:
    child = start("print('a line')")
    child.wait_stopped()
    child.start()
    child.wait_stopped()
    assert child.log_end() == "a line\na line"

"""Tests of machines: all their processes are known, stopped, killed and started again."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.tools.cluster.machines import MARK, Machine, marked
from core.tools.cluster.network import Loopback
from core.tools.embedded.processes import EmbeddedError
from tests.core.tools.embedded.conftest import wait_for

# A process whose child is in a session of its own, as PostgreSQL is under Patroni.
LEAVING = """
import subprocess, time
subprocess.Popen(["sleep", "600"], start_new_session=True)
time.sleep(600)
"""


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    network = Loopback()
    one = Machine("one", "trial", network.join("one", 1), tmp_path, network, f"{tmp_path}/one")
    one.add("leaving", [sys.executable, "-c", LEAVING], {}, lambda: len(marked(one.mark)) == 2)
    yield one
    one.kill()


def states(machine: Machine) -> set[str]:
    texts = [Path(f"/proc/{pid}/stat").read_text() for pid in marked(machine.mark)]
    return {text.rpartition(")")[2].split()[0] for text in texts}


def test_a_kill_ends_also_what_left_the_group(machine: Machine) -> None:
    machine.start()
    machine.wait_ready(30)
    machine.kill()
    assert marked(machine.mark) == []
    machine.revive_dead(0)
    assert not machine.children["leaving"].running  # it was switched off
    machine.start()
    machine.wait_ready(30)


def test_what_dies_on_a_machine_that_is_up_is_started_again(machine: Machine) -> None:
    machine.start()
    machine.wait_ready(30)
    before = machine.children["leaving"].pid
    machine.signal_programs(sys.executable, "KILL")
    wait_for(lambda: not machine.children["leaving"].running)
    machine.revive_dead(3600)
    assert not machine.children["leaving"].running
    machine.revive_dead(0)
    assert machine.children["leaving"].pid != before


def test_one_process_is_restarted_and_the_others_stay(machine: Machine) -> None:
    machine.children.clear()
    for name in ("one", "other"):
        machine.add(name, ["sleep", "600"], {}, lambda: True)
    machine.start()
    before = {name: child.pid for name, child in machine.children.items()}
    machine.restart_one("other", 30)
    after = {name: child.pid for name, child in machine.children.items()}
    assert {name for name in before if before[name] != after[name]} == {"other"}
    assert machine.children["other"].wanted


def test_a_machine_is_frozen_and_goes_on(machine: Machine) -> None:
    machine.start()
    machine.wait_ready(30)
    machine.freeze()
    wait_for(lambda: states(machine) == {"T"})
    machine.thaw()
    wait_for(lambda: "T" not in states(machine))


def test_a_process_that_does_not_start_is_named_with_its_log(
    machine: Machine, tmp_path: Path
) -> None:
    machine.children.clear()
    machine.add("failing", ["sh", "-c", "echo no such thing"], {}, lambda: False)
    machine.start()
    wait_for(lambda: not machine.children["failing"].running)
    with pytest.raises(EmbeddedError, match="one-failing is not ready") as error:
        machine.wait_ready(0)
    assert "no such thing" in str(error.value)
    assert machine.children["failing"].environment == {MARK: f"{tmp_path}/one"}

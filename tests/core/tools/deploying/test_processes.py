"""The table of processes: keys by kind, commands with their places filled in."""

import sys

import pytest

from core.kernel.holding import HELD, PUBLISHING
from core.tools.deploying.processes import MIGRATE, PROCESSES, Process, here, working

EVERY = [MIGRATE, *PROCESSES.values()]


@pytest.mark.parametrize("process", EVERY, ids=lambda each: each.name)
def test_a_process_has_the_keys_of_its_kind_and_no_other(process: Process) -> None:
    assert {key.upper() for key in process.keys} == HELD[process.kind]
    assert process.publishes == (process.kind in PUBLISHING)


def test_every_kind_but_the_console_is_a_process() -> None:
    assert {each.kind for each in EVERY} == HELD.keys() - {"console"}


@pytest.mark.parametrize("process", EVERY, ids=lambda each: each.name)
def test_nothing_is_left_open_in_a_command(process: Process) -> None:
    words = process.command(address="10.0.0.7", signer="/s")
    assert not [word for word in words if "{" in word]


def test_what_is_given_replaces_what_is_usual() -> None:
    words = PROCESSES["web"].command(address="10.0.0.7", port=9, processes=3, threads=5)
    options = {name: words[words.index(name) + 1] for name in words if name.startswith("--")}
    assert (options["--host"], options["--port"]) == ("10.0.0.7", "9")
    assert (options["--workers"], options["--blocking-threads"]) == ("3", "5")


def test_no_two_processes_listen_at_one_place() -> None:
    ports = [p for each in EVERY for p in (each.port, each.metrics_port) if p]
    assert len(ports) == len(set(ports))


def test_terminals_go_before_staff_and_public_on_a_busy_machine() -> None:
    sales, web = PROCESSES["sales"].weight, PROCESSES["web"].weight
    assert sales and web and sales > web


def test_a_worker_of_no_queue_takes_all() -> None:
    assert "--queues" not in working()
    assert working("quick", "long")[4:6] == ("--queues", "quick,long")


def test_a_command_runs_here_with_this_python() -> None:
    assert here(["celery", "beat"]) == [sys.executable, "-m", "celery", "beat"]
    assert here(["python", "manage.py"])[0] == sys.executable
    with pytest.raises(KeyError):
        here(["sh"])

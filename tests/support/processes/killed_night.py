"""Run the nights that are due by runners that are killed, until none is due; print their number.

A runner is forked for each step there is. Odd ones are killed when the first job that they meet has
done its work and before that is on record, even ones as soon as it is. Each has a session of its
own; the process that they are forked from keeps its session for the question what is due.
"""

import gc
import os
import signal
import sys
from typing import Any, NoReturn

import django

django.setup()

from django.db import connection, connections  # noqa: E402

from core.database.due_work import due_work  # noqa: E402
from core.database.quiet import NotQuiet  # noqa: E402
from core.journal.acting import name_process  # noqa: E402
from core.nights import services  # noqa: E402
from core.nights.models import JobRun  # noqa: E402

_finish, _start = services._finish, services._start
_jobs_met: list[Any] = []
_inherited: list[Any] = []


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("still alive")


def _killed_before(*_: Any) -> NoReturn:
    _die()


def _killed_after(*args: Any) -> None:
    _finish(*args)
    if not connection.in_atomic_block:
        _die()


def _killed_at_the_next(*args: Any) -> Any:
    if _jobs_met:
        _die()
    _jobs_met.append(args)
    return _start(*args)


def _run_and_be_killed(step: int) -> NoReturn:
    changed: Any = services
    if step % 2:
        changed._finish = _killed_before
    else:
        changed._finish, changed._start = _killed_after, _killed_at_the_next
    while True:
        try:
            services.night_run()
            os._exit(0)
        except (services.NightRunning, NotQuiet):
            continue


def _prepare() -> None:
    """Do once what each runner would do again: import what jobs use, and relate the tables."""
    due_work()
    JobRun._meta.get_fields()
    gc.collect()
    gc.freeze()


def _run_apart(step: int) -> int:
    """Fork a runner, and return its code when it has ended, negative if it was killed."""
    runner = os.fork()
    if runner == 0:
        # Not closed: the session is that of the process which goes on.
        _inherited.extend(each.connection for each in connections.all(initialized_only=True))
        for each in connections.all(initialized_only=True):
            each.connection = None
        _run_and_be_killed(step)
    _, status = os.waitpid(runner, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    """Fork runner after runner. Exit with 1 if one fails otherwise than by being killed."""
    name_process("command:night")
    _prepare()
    step = 0
    while services.jobs_due():
        step += 1
        code = _run_apart(step)
        if code not in (0, -signal.SIGKILL):
            sys.exit(f"a runner failed: {code}")
    print(step)

"""Do the nights' work, or settle a contest, in a process that kills itself before a statement."""

import os
import signal
from collections.abc import Callable
from typing import Any

import django

django.setup()

from django.db import connection  # noqa: E402

from core.journal.acting import name_process  # noqa: E402
from core.nights.services import night_run  # noqa: E402
from lototrot import tasks  # noqa: E402


def dies_at(statement: int) -> Callable[..., Any]:
    """Return a wrapper of a connection's statements that kills the process at one of them."""
    left = iter(range(statement))

    def wrapper(execute: Callable[..., Any], *arguments: Any) -> Any:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return execute(*arguments)

    return wrapper


def do(work: str, statement: int) -> None:
    """Do the work, `night` or the id of a contest; it lives for so many statements."""
    name_process(f"command:{work}")
    with connection.execute_wrapper(dies_at(statement)):
        if work == "night":
            night_run()
        else:
            tasks.settle(int(work))

"""Fork processes for tests from one that has imported the program.

A process that imports the program itself needs a second of a processor for that. The process they
are forked from is started once for each process of the tests, and has no session and no thread.
A fork has a process id, sessions and threads of its own, and can be killed like any process.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import django

django.setup()

from django.db import connections  # noqa: E402

from core.config import database_urls  # noqa: E402

WAIT_S = 120
_context = multiprocessing.get_context("forkserver")
_IMPORTED = (
    "tests.support.season.doomed",
    *(
        f"tests.support.concurrency.{name}"
        for name in ("dying", "forking", "stopping", "seller", "player", "payer")
    ),
)


class Forked:
    """A process that does one act on the databases of `environment`, and then ends.

    What it writes to its standard output goes to the file `output`, its errors to a file beside it.
    Its sessions have the `name`, if there is one.
    """

    def __init__(
        self,
        act: Callable[..., None],
        *arguments: Any,
        environment: Mapping[str, str],
        output: Path,
        name: str = "",
    ) -> None:
        self._errors = output.with_suffix(".errors")
        _context.set_forkserver_preload(list(_IMPORTED))
        self._process: ForkServerProcess = _context.Process(
            target=_do,
            args=(act, arguments, dict(environment), name, output, self._errors),
            daemon=True,  # one that a failed test has left is ended with the tests
        )
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Return the code of a process that has ended: the negative number of a signal."""
        return self._process.exitcode

    def kill(self) -> int | None:
        """Kill the process, if it runs, and return its code."""
        self._process.kill()
        return self.wait()

    def wait(self, within_s: float = WAIT_S) -> int | None:
        """Wait for the end. Return the code, None if it is still running after `within_s`."""
        self._process.join(within_s)
        return self._process.exitcode

    def errors(self) -> str:
        return self._errors.read_text() if self._errors.exists() else ""


@contextmanager
def stopped(
    act: Callable[..., None], *arguments: Any, environment: Mapping[str, str], output: Path
) -> Iterator[Forked]:
    """Fork a process that sends something by its first argument, and wait until it has.

    It is killed at the end.
    """
    here, there = _context.Pipe(duplex=False)
    worker = Forked(act, there, *arguments, environment=environment, output=output)
    there.close()
    try:
        assert here.poll(WAIT_S), "the process neither stops nor ends"
        try:
            here.recv()
        except EOFError:
            raise AssertionError(f"it ended and did not stop:\n{worker.errors()}") from None
        yield worker
    finally:
        worker.kill()
        here.close()


def _do(
    act: Callable[..., None],
    arguments: tuple[Any, ...],
    environment: Mapping[str, str],
    name: str,
    output: Path,
    errors: Path,
) -> None:
    """Do the act in the new process. Its exit code is 0, or 1 after an exception."""
    for number, path in ((1, output), (2, errors)):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(file, number)
        os.close(file)
    for alias, url in (
        ("default", environment["DATABASE_URL"]),
        ("owner", environment["DATABASE_OWNER_URL"]),
    ):
        parsed = database_urls.database_settings(url)
        options = connections.settings[alias]["OPTIONS"] | parsed["OPTIONS"]
        options |= {"application_name": name} if name else {}
        connections.settings[alias].update(parsed, OPTIONS=options)
    act(*arguments)

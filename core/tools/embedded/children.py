"""Child processes of a supervisor: each leads its own group and writes its own log."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.tools.embedded.processes import EmbeddedError, dying_with_parent
from core.tools.embedded.server import ROOT


@dataclass(slots=True)
class Child:
    """One process of the stack, with its descendants; it can be started again.

    It is told to end (SIGTERM) when the thread that started it ends.
    """

    name: str
    command: list[str]
    environment: Mapping[str, str]
    log: Path
    patience_s: float
    ready: Callable[[], bool]
    process: subprocess.Popen[bytes] | None = None
    started_s: float = 0
    wanted: bool = False

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=dict(self.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=dying_with_parent(signal.SIGTERM),
            )
        self.started_s = time.monotonic()
        self.wanted = True

    @property
    def pid(self) -> int:
        if self.process is None:
            raise EmbeddedError(f"{self.name} was never started.")
        return self.process.pid

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ask_to_stop(self) -> None:
        self.wanted = False
        if self.running:
            self._signal(signal.SIGTERM, group=False)

    def wait_stopped(self) -> None:
        """Wait until it has stopped as asked; kill it, with its descendants, if it does not."""
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(self.patience_s)
        self.kill()

    def kill(self) -> None:
        """kill -9 of the process and every descendant in its group."""
        self.wanted = False
        if self.process is not None:
            self._signal(signal.SIGKILL, group=True)
            self.process.wait()

    def log_end(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-25:])

    def _signal(self, number: signal.Signals, *, group: bool) -> None:
        # The group outlives its leader while a descendant lives.
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.pid, number)

"""Start and stop the processes of a stack; each leads a process group and has a log."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.tools.embedded.processes import EmbeddedError, dying_with_parent, give_way
from core.tools.embedded.server import ROOT


@dataclass(slots=True)
class Child:
    """One process of the stack with its descendants. It can be started again.

    It gets SIGTERM when the thread that started it ends. With `niceness` it gives way to the
    others where the machine is busy. `program` is the folder of the source that it runs.
    """

    name: str
    command: list[str]
    environment: dict[str, str]
    log: Path
    patience_s: float
    ready: Callable[[], bool]
    niceness: int = 0
    process: subprocess.Popen[bytes] | None = None
    started_s: float = 0
    wanted: bool = False
    program: Path = ROOT

    def start(self) -> None:
        """Start the process; its output is added to the log."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.program,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=self._preparing(),
            )
        self.started_s = time.monotonic()
        self.wanted = True

    def _preparing(self) -> Callable[[], None]:
        die_with_parent = dying_with_parent(signal.SIGTERM)

        def prepare() -> None:
            if die_with_parent:
                die_with_parent()
            if self.niceness:
                give_way(self.niceness)

        return prepare

    @property
    def pid(self) -> int:
        if self.process is None:
            raise EmbeddedError(f"{self.name} was never started.")
        return self.process.pid

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ask_to_stop(self) -> None:
        """Send SIGTERM; do not wait."""
        self.wanted = False
        if self.running:
            self._signal(signal.SIGTERM, group=False)

    def wait_stopped(self) -> None:
        """Wait until the process has ended; after its patience kill it with its descendants."""
        if self.process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(self.patience_s)
        self.kill()

    def kill(self) -> None:
        """Send SIGKILL to the process and every descendant in its group."""
        self.wanted = False
        if self.process is not None:
            self._signal(signal.SIGKILL, group=True)
            self.process.wait()

    def log_end(self) -> str:
        """Return the last lines of the log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-25:])

    def _signal(self, number: signal.Signals, *, group: bool) -> None:
        # The group outlives its leader while a descendant lives.
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if group else os.kill)(self.pid, number)

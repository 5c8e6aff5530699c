"""Keep one embedded server running as long as a process uses it.

The keeper is the server's parent, in another session than the processes that use it. Each of these
holds a shared lock on the folder's `users.lock`, which the operating system releases when the
process ends, also by kill -9. The keeper starts the server, starts it again when it dies, and stops
it when no user is left or on SIGTERM. If the keeper itself is killed, the server ends with it
(Linux) or is stopped by the next start.

Run as `python -m core.tools.embedded.keeper FOLDER`, with an `Order` as JSON on its standard input.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from core.tools.embedded.processes import Account, dying_with_parent, server_environment

_LOOK_EVERY_S = 0.25
_SHORT_LIFE_S = 2
_NEVER_STARTS_AFTER_S = 5
_NEVER_RECOVERS_AFTER_S = 300


@dataclass(frozen=True, slots=True)
class Order:
    """The command, log, signals and account with which the keeper runs the server."""

    argv: list[str]
    log: str
    stop_signal: int
    force_signal: int
    account: Account | None

    def to_json(self) -> str:
        """Return the order as JSON, for the keeper's standard input."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "Order":
        """Return the order from its JSON."""
        fields = json.loads(text)
        account = fields.pop("account")
        return Order(**fields, account=Account(**account) if account else None)


@contextmanager
def lock(path: Path, how: int) -> Iterator[IO[str]]:
    """Hold a lock on the file `path`: LOCK_SH or LOCK_EX, with LOCK_NB to raise BlockingIOError."""
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "r+") as file:
        fcntl.flock(file, how)
        yield file


class Keeper:
    """The parent of one server in a folder."""

    def __init__(self, folder: Path, order: Order) -> None:
        self.folder = folder
        self.order = order
        self.told_to_stop = False
        self._closing = ExitStack()

    def run(self) -> int:
        """Keep the server running. Return 0 when no process uses it, 1 when it cannot be kept."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, self._on_term)
        failing_since, patience_s = time.monotonic(), _NEVER_STARTS_AFTER_S
        while True:
            began = time.monotonic()
            child = self._spawn()
            while child.poll() is None:
                if self._unneeded():
                    self._stop(child)
                    return 0
            if self._unneeded():
                return 0
            # After a crash the server is started again, until it fails for too long: after a
            # kill -9 PostgreSQL refuses to start while a child of the old server is alive.
            ended = time.monotonic()
            if ended - began > _SHORT_LIFE_S:
                failing_since, patience_s = ended, _NEVER_RECOVERS_AFTER_S
            elif child.returncode < 0:  # a signal ended it: a server that cannot start ends itself
                patience_s = _NEVER_RECOVERS_AFTER_S
            if ended - failing_since > patience_s:
                return 1

    def _on_term(self, _number: int, _frame: FrameType | None) -> None:
        self.told_to_stop = True

    def _unneeded(self) -> bool:
        """Wait a moment; return whether no process uses the server or it was told to stop."""
        if not self.told_to_stop:
            time.sleep(_LOOK_EVERY_S)
        if not self.told_to_stop:
            try:
                # Held until the keeper ends: a new user waits for it and starts another.
                self._closing.enter_context(
                    lock(self.folder / "users.lock", fcntl.LOCK_EX | fcntl.LOCK_NB)
                )
            except BlockingIOError:
                return False
            self.told_to_stop = True
        return True

    def _spawn(self) -> subprocess.Popen[bytes]:
        order = self.order
        with Path(order.log).open("a") as log:
            return subprocess.Popen(
                order.argv,
                cwd="/",
                env=server_environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=dying_with_parent(signal.Signals(order.stop_signal)),
                **(order.account.popen_arguments() if order.account else {}),
            )

    def _stop(self, child: subprocess.Popen[bytes]) -> None:
        child.send_signal(self.order.stop_signal)
        try:
            child.wait(60)
        except subprocess.TimeoutExpired:
            child.send_signal(self.order.force_signal)
            child.wait()


def main() -> int:
    folder = Path(sys.argv[1])
    order = Order.from_json(sys.stdin.read())
    with lock(folder / "keeper.lock", fcntl.LOCK_EX | fcntl.LOCK_NB) as own:
        own.truncate()
        own.write(str(os.getpid()))
        own.flush()
        return Keeper(folder, order).run()


if __name__ == "__main__":
    sys.exit(main())

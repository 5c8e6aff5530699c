"""Start an embedded server or join a running one, and leave or stop it."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import IO, Self

from core.tools.embedded import folders
from core.tools.embedded.keeper import Order, lock
from core.tools.embedded.processes import EmbeddedError, alive, works_in

ROOT = Path(__file__).resolve().parents[3]
_PATIENCE_S = 300


def var_folder() -> Path:
    """Return the folder for data and logs of this machine: $VAR_DIR, by default `var`."""
    return Path(os.environ.get("VAR_DIR") or ROOT / "var").absolute()


class Server(ABC):
    """A server in a folder, shared by the processes that start it, stopped when the last leaves.

    A subclass prepares it, gives the command that runs it, and asks whether it is ready. The folder
    holds `server.log`, the locks, `data` and `run` (the socket); the last two may be links (see
    `folders`). Locks are taken in the order start, users, keeper.
    """

    name: str

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.log = self.folder / "server.log"
        self._held: ExitStack | None = None
        self._keeper: subprocess.Popen[str] | None = None

    @abstractmethod
    def _prepare(self) -> Order:
        """Make the missing files and return the order to run the server."""

    @abstractmethod
    def _answers(self) -> bool:
        """Return whether the server answers."""

    @abstractmethod
    def _settle(self) -> None:
        """Finish the preparation once the server answers; repeated at every start."""

    @property
    @abstractmethod
    def _pid_file(self) -> Path:
        """Return the file in which the server writes its process number, in its working folder."""

    @property
    def pid(self) -> int | None:
        """Return the number of the server's main process, None when it does not run."""
        pid = self._written_pid()
        return pid if pid is not None and works_in(pid, self._pid_file.parent) else None

    def start(self) -> None:
        """Start the server if needed and become one of its users. Repeating it changes nothing."""
        if self._held is not None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with ExitStack() as stack, self._only_one():
                stack.enter_context(lock(self.folder / "users.lock", fcntl.LOCK_SH))
                if not self._is_kept():
                    order = self._prepare()
                    self._stop_orphan(order)
                    self._start_keeper(order)
                self._wait_until(self._answers, "did not become ready")
                self._settle()
                self._held = stack.pop_all()
        except PermissionError as error:
            raise EmbeddedError(f"{self.name} cannot use {self.folder}: {error}.") from error

    def stop(self) -> None:
        """Leave the server; the last one to leave waits until it has stopped."""
        if self._held is None:
            return
        with self._only_one(), ExitStack() as stack:
            self._held.close()
            self._held = None
            if self._has_users(stack):
                return
            self._dismiss_keeper()

    def stop_for_all(self) -> None:
        """Stop the server even if others use it."""
        self.stop()
        if self.folder.is_dir():
            with self._only_one():
                self._dismiss_keeper()

    def destroy(self) -> None:
        """Stop the server and remove its folder with all the data."""
        self.stop_for_all()
        if self.folder.is_dir():
            for entry in list(self.folder.iterdir()):
                if entry.is_symlink():
                    folders.remove(entry)
            folders.remove(self.folder)

    def crash(self) -> None:
        """Kill the server as a failure would (kill -9); its keeper starts it again. For tests."""
        pid = self.pid
        if pid is None:
            raise EmbeddedError(f"{self.name} is not running.")
        os.kill(pid, signal.SIGKILL)
        self._wait_until(lambda: self.pid not in (None, pid) and self._answers(), "did not recover")

    def lose_power(self) -> None:
        """Kill the server and its keeper, as a machine does that loses its power; `start` it again.
        For tests.
        """
        keeper, pid = int((self.folder / "keeper.lock").read_text()), self.pid
        os.kill(keeper, signal.SIGSTOP)  # or it would start the server again, or stop it in order
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            self._wait_until(lambda: not alive(pid), "did not die", of_keeper=False)
        os.kill(keeper, signal.SIGKILL)
        self.stop()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _only_one(self) -> AbstractContextManager[IO[str]]:
        return lock(self.folder / "start.lock", fcntl.LOCK_EX)

    def _is_kept(self) -> bool:
        try:
            with lock(self.folder / "keeper.lock", fcntl.LOCK_EX | fcntl.LOCK_NB):
                return False
        except BlockingIOError:
            return True

    def _has_users(self, stack: ExitStack) -> bool:
        """Return whether another process uses the server; if none does, lock it for this one."""
        users = self.folder / "users.lock"
        try:
            stack.enter_context(lock(users, fcntl.LOCK_EX | fcntl.LOCK_NB))
            return False
        except BlockingIOError:
            pass
        try:
            with lock(users, fcntl.LOCK_SH | fcntl.LOCK_NB):
                return True
        except BlockingIOError:  # the keeper was quicker, and is stopping the server
            return False

    def _start_keeper(self, order: Order) -> None:
        with self.log.open("a") as log:
            self.log.chmod(0o600)  # it may quote statements
            self._keeper = subprocess.Popen(
                [sys.executable, "-m", "core.tools.embedded.keeper", str(self.folder)],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                text=True,
                start_new_session=True,  # Ctrl-C at the terminal is not for it
            )
        if self._keeper.stdin is not None:
            self._keeper.stdin.write(order.to_json())
            self._keeper.stdin.close()

    def _dismiss_keeper(self) -> None:
        if self._is_kept():
            os.kill(int((self.folder / "keeper.lock").read_text()), signal.SIGTERM)
            self._wait_until(lambda: not self._is_kept(), "did not stop", of_keeper=False)
        if self._keeper is not None:
            self._keeper.wait()
            self._keeper = None

    def _stop_orphan(self, order: Order) -> None:
        """Stop a server whose keeper was killed; remove a pid file that names another process."""
        pid = self.pid
        if pid is None:
            stranger = self._written_pid()
            if stranger is not None and alive(stranger):  # the server would refuse to start
                self._pid_file.unlink()
            return
        os.kill(pid, order.stop_signal)
        self._wait_until(lambda: self.pid != pid, "did not stop")

    def _written_pid(self) -> int | None:
        try:
            return int(self._pid_file.read_text().split()[0])
        except (FileNotFoundError, IndexError, ValueError):
            return None

    def _wait_until(
        self, condition: Callable[[], bool], failure: str, *, of_keeper: bool = True
    ) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not condition():
            lost = of_keeper and self._keeper is not None and self._keeper.poll() is not None
            if lost or time.monotonic() > deadline:
                raise EmbeddedError(f"{self.name} {failure}. Its log ends:\n{self._log_end()}")
            time.sleep(0.02)

    def _log_end(self) -> str:
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-15:])
        except OSError as error:
            return str(error)

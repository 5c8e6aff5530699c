"""Machines of a cluster on one: groups of processes that run, stop and are killed together.

Every process of a machine inherits its mark in the environment, so that all of them are known, also
those that left the process group, as PostgreSQL does under Patroni.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from core.tools.cluster.network import Network
from core.tools.embedded.children import Child
from core.tools.embedded.postgres import binaries
from core.tools.embedded.processes import Account, EmbeddedError, alive

MARK = "CLUSTER_MACHINE"
_GONE_WITHIN_S = 30


def marked(mark: str) -> list[int]:
    """Return the processes of this computer whose environment has the mark, with their descendants.

    PostgreSQL's children write their titles over their environment. A mark that ends with "/"
    stands for all machines of a cluster.
    """
    marking = f"{MARK}={mark}".encode()
    children: dict[int, list[int]] = defaultdict(list)
    pids: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children[parent].append(int(entry.name))
            words = (entry / "environ").read_bytes().split(b"\0")
            if any(w == marking or (mark.endswith("/") and w.startswith(marking)) for w in words):
                pids.append(int(entry.name))
    for pid in pids:  # which grows meanwhile
        pids += [child for child in children[pid] if child not in pids]
    return [pid for pid in pids if alive(pid)]


def end_all(mark: str) -> None:
    """Kill all processes with the mark until none is left."""
    deadline = time.monotonic() + _GONE_WITHIN_S
    while pids := marked(mark):
        if time.monotonic() > deadline:
            raise EmbeddedError(f"processes of {mark} do not end: {pids}")
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


@dataclass(slots=True)
class Machine:
    """One machine: its name, what it is for in words, its address, and its processes in order."""

    name: str
    purpose: str
    address: str
    folder: Path
    network: Network
    mark: str
    up: bool = False
    children: dict[str, Child] = field(default_factory=dict)

    def add(
        self,
        name: str,
        command: list[str],
        environment: dict[str, str],
        ready: Callable[[], bool],
        *,
        account: Account | None = None,
        patience_s: float = 20,
    ) -> None:
        """Add a process; it is started with the machine."""
        self.children[name] = Child(
            f"{self.name}-{name}",
            [*self.network.enter(self.name), *_as(account), *command],
            {**environment, MARK: self.mark},
            self.folder / f"{self.name}-{name}.log",
            patience_s,
            ready,
        )

    def start(self) -> None:
        """Start all processes, as switching the machine on does; do not wait."""
        self.up = True
        for child in self.children.values():
            if not child.running:
                child.start()

    def wait_ready(self, within_s: float) -> None:
        """Wait until all processes are ready. Raise EmbeddedError after `within_s`."""
        deadline = time.monotonic() + within_s
        for child in self.children.values():
            _wait_ready(child, deadline - time.monotonic())

    def kill(self) -> None:
        """Kill everything on the machine at once, as a loss of power does."""
        self.up = False
        for child in self.children.values():
            child.wanted = False
        end_all(self.mark)
        for child in self.children.values():
            child.kill()

    def restart_one(self, name: str, within_s: float) -> None:
        """Ask one process to end, wait for it, start it and wait until it is ready.

        Raise EmbeddedError if it is not ready after `within_s`.
        """
        child = self.children[name]
        child.ask_to_stop()
        child.wait_stopped()
        child.start()
        _wait_ready(child, within_s)

    def kill_one(self, name: str) -> None:
        """Kill one process with its descendants; the machine starts it again."""
        child = self.children[name]
        child.kill()
        child.wanted = True

    def stop(self) -> None:
        """Ask all processes to end, last started first, and wait."""
        self.up = False
        for child in reversed(list(self.children.values())):
            child.ask_to_stop()
            child.wait_stopped()
        end_all(self.mark)

    def freeze(self) -> None:
        """Stop all processes where they stand; their connections stay open."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let them go on."""
        self._signal(signal.SIGCONT)

    def revive_dead(self, after_s: float) -> None:
        """Start again what died on a machine that is up, not sooner than `after_s` after a start.

        This is what systemd does with `Restart=always` and `RestartSec`.
        """
        for child in self.children.values():
            late = time.monotonic() > child.started_s + after_s
            if self.up and child.wanted and not child.running and late:
                child.start()

    def signal_programs(self, words: str, name: str) -> None:
        """Send a signal, such as "KILL", to the processes whose command has these words."""
        chosen = []
        for pid in marked(self.mark):
            with contextlib.suppress(OSError):
                command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
                if words.encode() in command:
                    chosen.append(pid)
        for pid in chosen:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.Signals[f"SIG{name}"])

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a short command of PostgreSQL on the machine."""
        command = [*self.network.enter(self.name), str(binaries() / words[0]), *words[1:]]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    def _signal(self, number: signal.Signals) -> None:
        for pid in marked(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


def _wait_ready(child: Child, within_s: float) -> None:
    deadline = time.monotonic() + within_s
    while not child.ready():
        if time.monotonic() > deadline:
            raise EmbeddedError(f"{child.name} is not ready. Its log:\n{child.log_end()}")
        time.sleep(0.1)


def _as(account: Account | None) -> list[str]:
    """Return the words that run a command as an account, and end it with its parent."""
    if account is None:
        return []
    ids = [f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups"]
    return ["setpriv", *ids, "--pdeathsig=TERM", "--"]

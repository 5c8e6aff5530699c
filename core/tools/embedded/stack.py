"""Run the system on one machine: servers, web server, Celery workers and beat, supervised.

  with Stack(web_processes=1, sales_processes=1, workers=2) as stack:
      ...  # HTTP at stack.base_url, for terminals at stack.sales_url

A process that dies is reported and started again, and takes no other along. In the main thread
SIGTERM becomes SystemExit, so that the system is stopped in order.
"""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, Self

from core.tools.deploying.processes import OPEN_FILES, PROCESSES, here, working
from core.tools.embedded import folders
from core.tools.embedded.children import Child
from core.tools.embedded.keeper import lock
from core.tools.embedded.keys import environment_of
from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import EmbeddedError, need_open_files
from core.tools.embedded.provision import provided
from core.tools.embedded.server import ROOT, var_folder
from core.tools.embedded.valkey import Valkey
from core.tools.embedded.web import free_ports, gives, listens, need_number, web_command

BEAT_SCHEDULE = "beat-schedule"
"""The file, in the folder of a stack, in which its beat keeps when it last sent what."""
_READY_WITHIN_S = 120
_LOOK_EVERY_S = 0.1
_RESTART_AFTER_S = 1.0
_SERVERS = ("web", "sales", "play")
# What the public asks for gives way to sales: beside five busy sessions it has a fifteenth of the
# machine, much as the units' CPUWeight gives it.
GIVING_WAY = 5


class Stack:
    """The system with its servers. `folder` (by default $VAR_DIR) holds the servers' data and the
    logs.

    `environment` is added to that of this process. A server is not embedded if DATABASE_URL or
    BROKER_URL names it there. `port` is by default $PORT, or any free one. `report` is called with
    a line for each event.

    With `sales_processes` terminals have processes of their own, at an address of their own, and
    the others give way to them where the machine is busy. Plays and emissions have one, too, at
    `play_url`; the others pass on to it what needs the seeds. Without, `web` answers everything.
    Each process has only the keys of its kind, as files under $VAR_DIR/secrets.
    """

    def __init__(
        self,
        *,
        web_processes: int = 1,
        sales_processes: int = 0,
        workers: int = 2,
        beat: bool = True,
        migrate: bool = True,
        port: int | None = None,
        folder: Path | None = None,
        environment: Mapping[str, str] | None = None,
        report: Callable[[str], None] = print,
    ) -> None:
        # Two servers may listen at one port, and each would answer requests of the other.
        web_port, sales_port, play_port, self.live_port = free_ports(4)
        wanted = os.environ.get("PORT") or "0"
        self.port = port or need_number("PORT", wanted, least=0, most=65_535) or web_port
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.sales_port = sales_port if sales_processes else self.port
        self.sales_url = f"http://127.0.0.1:{self.sales_port}"
        self.play_port = play_port if sales_processes else self.port
        self.play_url = f"http://127.0.0.1:{self.play_port}"
        self.live_url = f"http://127.0.0.1:{self.live_port}/live"
        self.folder = (folder or var_folder()).absolute()
        self.environment = {
            "CHECK_URL": f"{self.base_url}/check",
            **os.environ,
            "LIVE_URL": self.live_url,
            "CLOCK_WATCH": "true",
            "CELERY_SKIP_CHECKS": "true",  # migrate makes the same checks
            **(environment or {}),
        }
        self.postgres: Postgres | None = None
        self.valkey: Valkey | None = None
        self._web_processes = web_processes
        self._sales_processes = sales_processes
        self._workers = workers
        self._beat = beat
        self._migrate = migrate
        self._report = report
        self._children: dict[str, Child] = {}
        self._servers = ExitStack()
        self._handlers: dict[signal.Signals, Any] = {}
        self._ending = threading.Event()
        self._signer = self.folder / "signer" / "socket"
        self._deciding = threading.Lock()  # whether a child should run
        self._watch = threading.Thread(target=self._watch_children, name="stack", daemon=True)

    def start(self) -> None:
        """Start everything and return when it is ready. If that fails, stop what was started."""
        need_open_files(OPEN_FILES)
        self._take_signals(_exit_on_term, signal.SIGTERM, signal.SIGHUP)
        try:
            self._start_all()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop everything in order. A second Ctrl-C or SIGTERM meanwhile kills what is left."""
        self._take_signals(self._kill_all, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
        # First no new requests and tasks, then the tasks under way, then the servers.
        workers = [name for name in self._children if name.startswith("worker")]
        for names in ([*_SERVERS, "beat", "live"], workers, ["signer"]):
            children = [self._children[name] for name in names if name in self._children]
            with self._deciding:  # or the watch could start it again meanwhile
                for child in children:
                    child.ask_to_stop()
            for child in children:
                child.wait_stopped()
        self._ending.set()
        if self._watch.is_alive():
            self._watch.join()
        self._servers.close()
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._handlers.clear()

    def wait(self) -> NoReturn:
        """Supervise until a signal (KeyboardInterrupt, SystemExit)."""
        while True:
            time.sleep(_LOOK_EVERY_S)

    @property
    def names(self) -> list[str]:
        """Return the names: `signer`, `play`, `sales`, `web`, `worker-1`..., `live`, `beat`."""
        return list(self._children)

    def environment_of(self, kind: str) -> dict[str, str]:
        """Return the environment of a process of that kind, with its keys and no other."""
        secrets = Path(self.environment.get("VAR_DIR") or ROOT / "var").absolute() / "secrets"
        return environment_of(kind, self.environment, secrets, self._signer)

    def pid(self, name: str) -> int:
        """Return the process id of a process by its name."""
        return self._children[name].pid

    def kill(self, name: str) -> None:
        """Kill a process and its descendants; it stays dead until `revive`. For tests."""
        with self._deciding:
            self._children[name].kill()

    def revive(self, *names: str) -> None:
        """Start killed processes again, and wait until all are ready. For tests."""
        children = [self._children[name] for name in names]
        with self._deciding:
            for child in children:
                child.start()
        for child in children:
            self._wait_ready(child)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _start_all(self) -> None:
        provision = self._servers.enter_context(provided(self.folder, self.environment))
        self.environment = provision.environment
        self.postgres, self.valkey = provision.postgres, provision.valkey
        logs = self.folder / "log"
        logs.mkdir(parents=True, exist_ok=True)
        # The processes of the web server add up their counts here, from zero in each run.
        metrics = self.folder / "metrics"
        shutil.rmtree(metrics, ignore_errors=True)
        metrics.mkdir()
        self.environment = {**self.environment, "PROMETHEUS_MULTIPROC_DIR": str(metrics)}
        with ExitStack() as migrating:
            if self._migrate:
                gate = self.folder / "begin.lock"
                migrating.enter_context(lock(gate, fcntl.LOCK_EX))
                self.environment["BEGIN_AFTER"] = str(gate)
            self._add_all()
            for child in self._children.values():
                child.start()
            if self._migrate:
                self._run_to_end("migrate", "--database", "owner", "--no-input")
        for child in self._children.values():
            self._wait_ready(child)
        self._watch.start()

    def _add_all(self) -> None:
        self._add_signer()
        self._add_servers()
        for number in range(1, self._workers + 1):
            node = f"worker-{number}@{self.port}"
            command = here([*working(), "--hostname", node])
            self._add(f"worker-{number}", "worker", command, self._asker(node), 60)
        live = PROCESSES["live"].command(address="127.0.0.1", port=self.live_port)
        live = here([*live, "--folder", str(self.folder / "live")])
        self._add("live", "live", live, lambda: gives(self.live_port, "/live/pulse.json"), 10)
        if self._beat:
            beat = [*PROCESSES["beat"].command(), "--schedule", str(self.folder / BEAT_SCHEDULE)]
            self._add("beat", "beat", here(beat), lambda: True, 10)

    def _add_signer(self) -> None:
        place = self.folder / "signer"
        inside = folders.place(place, None, most_bytes=folders.SOCKET_FOLDER_BYTES)
        self._servers.callback(folders.remove, place)
        self._signer = inside / "socket"
        command = here(PROCESSES["signer"].command(signer=self._signer))
        self._add("signer", "signer", command, lambda: listens(self._signer), 10)

    def _add_servers(self) -> None:
        web = web_command(self.port, self._web_processes)
        if not self._sales_processes:
            self._add("web", "play", web, lambda: gives(self.port, "/readyz"), 30)
            return
        passing_on = {"DEALER": self.play_url}
        sales = self._sales_processes
        play = web_command(self.play_port, sales, name="play")
        self._add("play", "play", play, lambda: gives(self.play_port, "/readyz"), 30)
        self._children["play"].environment |= {"TRUSTED_PROXIES": "127.0.0.1"}
        command = web_command(self.sales_port, sales, name="sales")
        self._add("sales", "web", command, lambda: gives(self.sales_port, "/readyz"), 30)
        self._children["sales"].environment |= passing_on | {"PROCESS_ROLE": "sales"}
        self._add("web", "web", web, lambda: gives(self.port, "/readyz"), 30)
        self._children["web"].environment |= passing_on
        self._children["web"].niceness = GIVING_WAY

    def _add(
        self, name: str, kind: str, command: list[str], ready: Callable[[], bool], patience_s: float
    ) -> None:
        log = self.folder / "log" / f"{name}.log"
        if log.exists():
            log.replace(log.with_suffix(".log.old"))
        environment = self.environment_of(kind)
        self._children[name] = Child(name, command, environment, log, patience_s, ready)

    def _run_to_end(self, *command: str) -> None:
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.environment_of("migrate"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        (self.folder / "log" / f"{command[0]}.log").write_text(done.stdout + done.stderr)
        if done.returncode != 0:
            raise EmbeddedError(f"manage.py {command[0]} failed:\n{done.stderr or done.stdout}")

    def _wait_ready(self, child: Child) -> None:
        deadline = time.monotonic() + _READY_WITHIN_S
        while not child.ready():
            if not child.running or time.monotonic() > deadline:
                raise EmbeddedError(f"{child.name} did not start. Its log:\n{child.log_end()}")
            time.sleep(_LOOK_EVERY_S)

    def _asker(self, node: str) -> Callable[[], bool]:
        from celery import Celery  # only a supervisor of workers needs it

        app = Celery("stack", broker=self.environment["BROKER_URL"], set_as_current=False)

        def answers() -> bool:
            with app.connection_for_write() as connection:
                try:
                    reply = app.control.ping([node], timeout=1, limit=1, connection=connection)
                except connection.connection_errors:
                    return False
            return bool(reply)

        return answers

    def _watch_children(self) -> None:
        while not self._ending.wait(_LOOK_EVERY_S):
            for child in self._children.values():
                with self._deciding:
                    if child.wanted and not child.running:
                        self._restart(child)

    def _restart(self, child: Child) -> None:
        """Start a child again, at the earliest a second after it was last started."""
        if time.monotonic() > child.started_s + _RESTART_AFTER_S:
            self._report(f"{child.name} died and is started again; see {child.log}")
            child.start()

    def _take_signals(self, handler: Callable[..., Any], *numbers: signal.Signals) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in numbers:
                before = signal.signal(number, handler)
                self._handlers.setdefault(number, before)

    def _kill_all(self, _number: int, _frame: FrameType | None) -> None:
        for child in self._children.values():
            child.kill()


def _exit_on_term(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)

"""Run the system on one machine: servers, web server, Celery workers and beat, supervised.

  with Stack(web_processes=1, sales_processes=1, workers=2) as stack:
      ...  # HTTP at stack.base_url, for terminals at stack.sales_url

A worker or beat that dies is started again and reported. If the web server dies, the system has
failed: `check` and `wait` raise. In the main thread SIGTERM becomes SystemExit, so that the system
is stopped in order.
"""

import http
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, NoReturn, Self

from core.tools.embedded.children import Child
from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import EmbeddedError, need_open_files
from core.tools.embedded.provision import provided
from core.tools.embedded.server import ROOT, var_folder
from core.tools.embedded.valkey import Valkey

CONNECTIONS = 8192  # of one process: terminals and boards keep theirs open
_READY_WITHIN_S = 120
_LOOK_EVERY_S = 0.1
_SERVERS = ("web", "sales")
# What the public asks for gives way to sales: a tenth of their share of a busy processor.
GIVING_WAY = ["nice", "-n", "10"]
_CELERY = [sys.executable, "-m", "celery", "--app", "core.config.celery"]


def web_command(port: int, processes: int) -> list[str]:
    """Return the command of the HTTP server: $WEB_SERVER is granian or gunicorn.

    Each process has $WEB_THREADS threads. Granian's backpressure is a number of connections, idle
    ones included; each terminal keeps one open. HTTP/2 is off because there is no TLS here.
    """
    threads = os.environ.get("WEB_THREADS") or "6"
    server = os.environ.get("WEB_SERVER") or "granian"
    if server == "granian":
        return [
            sys.executable,
            "-m",
            "granian",
            "--interface",
            "wsgi",
            "--host",
            "127.0.0.1",
            "--port",
            str(port),
            "--workers",
            str(processes),
            "--blocking-threads",
            threads,
            "--respawn-failed-workers",
            "--workers-kill-timeout",
            "20",
            "--http",
            "1",
            "--no-ws",
            "--backlog",
            "4096",
            "--backpressure",
            str(CONNECTIONS),
            "core.config.wsgi:application",
        ]
    if server == "gunicorn":
        return [
            sys.executable,
            "-m",
            "gunicorn",
            "--bind",
            f"127.0.0.1:{port}",
            "--worker-class",
            "gthread",
            "--workers",
            str(processes),
            "--threads",
            threads,
            "--graceful-timeout",
            "20",
            "core.config.wsgi:application",
        ]
    raise EmbeddedError(f"WEB_SERVER must be granian or gunicorn, not {server!r}.")


def free_port() -> int:
    """Return a free port of the loopback address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Stack:
    """The system with its servers. `folder` (by default $VAR_DIR) holds the servers' data and the
    logs.

    `environment` is added to that of this process. A server is not embedded if DATABASE_URL or
    BROKER_URL names it there. `port` is by default $PORT, or any free one. `report` is called with
    a line for each event.

    With `sales_processes` terminals have processes of their own, at an address of their own, and
    the others give way to them where the machine is busy.
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
        self.port = port or int(os.environ.get("PORT") or 0) or free_port()
        self.base_url = f"http://127.0.0.1:{self.port}"
        self.sales_port = free_port() if sales_processes else self.port
        self.sales_url = f"http://127.0.0.1:{self.sales_port}"
        self.live_port = free_port()
        self.live_url = f"http://127.0.0.1:{self.live_port}/live"
        self.folder = (folder or var_folder()).absolute()
        self.environment = {
            **os.environ,
            "LIVE_URL": self.live_url,
            "CLOCK_WATCH": "true",
            **(environment or {}),
        }
        self.postgres: Postgres | None = None
        self.valkey: Valkey | None = None
        self.failure: str | None = None
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
        self._deciding = threading.Lock()  # whether a child should run
        self._watch = threading.Thread(target=self._watch_children, name="stack", daemon=True)

    def start(self) -> None:
        """Start everything and return when it is ready. If that fails, stop what was started."""
        need_open_files(2 * CONNECTIONS)
        self._take_signals(_exit_on_term, signal.SIGTERM, signal.SIGHUP)
        try:
            self._start_all()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop everything in order. A second Ctrl-C or SIGTERM meanwhile kills what is left."""
        self._take_signals(self._kill_all, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
        # First no new requests, then no new tasks, then the tasks under way, then the servers.
        workers = [name for name in self._children if name.startswith("worker")]
        for names in (_SERVERS, ["beat", "live"], workers):
            children = [self._children[name] for name in names if name in self._children]
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
        """Supervise until a signal (KeyboardInterrupt, SystemExit) or until the web server dies."""
        while True:
            self.check()
            time.sleep(_LOOK_EVERY_S)

    def check(self) -> None:
        """Raise EmbeddedError if the system has failed."""
        if self.failure:
            raise EmbeddedError(self.failure)

    @property
    def names(self) -> list[str]:
        """Return the names of the processes: `sales`, `web`, `worker-1`..., `live`, `beat`."""
        return list(self._children)

    def pid(self, name: str) -> int:
        """Return the process id of a process by its name."""
        return self._children[name].pid

    def kill(self, name: str) -> None:
        """Kill a process and its descendants; it stays dead until `revive`. For tests."""
        with self._deciding:
            self._children[name].kill()

    def revive(self, name: str) -> None:
        """Start a killed process again and wait until it is ready. For tests."""
        with self._deciding:
            self._children[name].start()
        self._wait_ready(self._children[name])

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
        if self._migrate:
            self._run_to_end("migrate", "--database", "owner", "--no-input")
        self._add_servers()
        for number in range(1, self._workers + 1):
            node = f"worker-{number}@{self.port}"
            command = ["worker", "--hostname", node, "--concurrency", "1"]
            quiet = ["--without-gossip", "--without-mingle"]
            self._add(f"worker-{number}", [*_CELERY, *command, *quiet], self._asker(node), 60)
        folder, listen = str(self.folder / "live"), f"127.0.0.1:{self.live_port}"
        live = [sys.executable, "manage.py", "live", "--folder", folder, "--listen", listen]
        self._add("live", live, lambda: _gives(self.live_port, "/live/pulse.json"), 10)
        if self._beat:
            schedule = str(self.folder / "beat-schedule")
            command = ["beat", "--schedule", schedule, "--pidfile", ""]
            self._add("beat", [*_CELERY, *command], lambda: True, 10)
        for child in self._children.values():
            child.start()
        for child in self._children.values():
            self._wait_ready(child)
        self._watch.start()

    def _add_servers(self) -> None:
        web = web_command(self.port, self._web_processes)
        if self._sales_processes:
            sales = web_command(self.sales_port, self._sales_processes)
            self._add("sales", sales, lambda: _gives(self.sales_port, "/readyz"), 30)
            child = self._children["sales"]
            child.environment = {**child.environment, "PROCESS_ROLE": "sales"}
            web = [*GIVING_WAY, *web]
        self._add("web", web, lambda: _gives(self.port, "/readyz"), 30)

    def _add(
        self, name: str, command: list[str], ready: Callable[[], bool], patience_s: float
    ) -> None:
        log = self.folder / "log" / f"{name}.log"
        if log.exists():
            log.replace(log.with_suffix(".log.old"))
        self._children[name] = Child(name, command, self.environment, log, patience_s, ready)

    def _run_to_end(self, *command: str) -> None:
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=ROOT,
            env=self.environment,
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
        if child.name in _SERVERS:
            child.wanted = False
            self.failure = f"The web server died. Its log:\n{child.log_end()}"
            self._report(self.failure)
        elif (
            time.monotonic() > child.started_s + 1
        ):  # do not restart one that dies at once in a tight loop
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


def _gives(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _exit_on_term(number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)

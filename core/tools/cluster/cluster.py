"""A cluster of machines on one: `with Cluster(folder=...) as cluster`.

Three machines have PostgreSQL under Patroni, and etcd; two have the program; the broker, the proxy
and the receiver of the public log have one each. What dies on a machine that is up is started again
after two seconds, as systemd does; a machine that was killed stays dead until `start`.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Self
from urllib.parse import quote

from core.tools.cluster import databases, proxy, software
from core.tools.cluster.machines import Machine, end_all
from core.tools.cluster.network import Network
from core.tools.deploying.patroni import PORT, service_environment
from core.tools.deploying.processes import OPEN_FILES, PROCESSES, here, working
from core.tools.embedded import folders
from core.tools.embedded.keys import environment_of
from core.tools.embedded.postgres import APP, DATABASE, OWNER, Postgres
from core.tools.embedded.processes import EmbeddedError, need_open_files, server_account
from core.tools.embedded.server import ROOT
from core.tools.embedded.valkey import binary
from core.tools.embedded.web import gives, listens

DATABASES, HOSTS = ("db1", "db2", "db3"), ("web1", "web2")
BROKER, PROXY, RECEIVER = "broker", "proxy", "receiver"
KINDS = ("signer", "sales", "play", "web", "live", "worker", "beat")
"""The processes of a host in the order in which they are started."""
_NUMBERS = {
    **{name: number for number, name in enumerate(DATABASES, 1)},
    **{name: number for number, name in enumerate(HOSTS, 11)},
    BROKER: 21,
    PROXY: 31,
    RECEIVER: 41,
}
_READY_WITHIN_S = 240
_STANDBYS_WITHIN_S = 180
_RESTART_AFTER_S = 2
_LOOK_EVERY_S = 0.2
LEADER = {"target_session_attrs": "read-write"}


class Cluster:
    """Machines by name, and the environment of the program on them.

    `kinds` are the processes of each host, by default all. `synchronous` is Patroni's mode.
    `options` are those of the URL of the database; its timeouts are the program's by default.
    """

    def __init__(
        self,
        folder: Path,
        network: Network,
        *,
        environment: Mapping[str, str] | None = None,
        kinds: Collection[str] = KINDS,
        synchronous: str = "quorum",
        options: Mapping[str, str] = LEADER,
    ) -> None:
        self.folder = folder.absolute()
        self.network = network
        self.kinds = kinds
        self.machines: dict[str, Machine] = {}
        self.mark = f"{self.folder}/"
        self._synchronous = synchronous
        self._signer = self.folder / "signer"
        self._ending = threading.Event()
        self._watch = threading.Thread(target=self._keep_up, name="cluster", daemon=True)
        self._account = server_account(self.folder / "nothing")
        self._passwords = {name: secrets.token_hex(12) for name in (*databases.ROLES, BROKER)}
        for name, number in _NUMBERS.items():
            self.machines[name] = Machine(
                name,
                _purpose(name),
                network.join(name, number),
                self.folder / "log",
                network,
                f"{self.mark}{name}",
            )
        at = self.machines[PROXY].address
        self.base_url = f"https://{at}:8443"
        self.environment = {
            **os.environ,
            "PROFILE": "development",
            "VAR_DIR": str(self.folder),
            "DATABASE_URL": self._database_url(APP, options),
            "DATABASE_OWNER_URL": self._database_url(OWNER, options),
            "BROKER_URL": f"redis://:{self._passwords[BROKER]}@{self.machines[BROKER].address}:6379/0",
            "LOG_RECEIVERS": f"http://{self.machines[RECEIVER].address}:8080/log",
            "ALLOWED_HOSTS": ",".join(("127.0.0.1", *(m.address for m in self.machines.values()))),
            "CSRF_TRUSTED_ORIGINS": self.base_url,
            "TRUSTED_PROXIES": ",".join([*network.proxies, at]),
            "CLOCK_WATCH": "true",
            "CELERY_SKIP_CHECKS": "true",
            "SSL_CERT_FILE": str(self.folder / "proxy" / "certificate.pem"),
            **(environment or {}),
        }

    # --- The whole --------------------------------------------------------------------------------

    def start(self) -> None:
        """Start everything and return when it is ready. If that fails, stop what was started."""
        need_open_files(OPEN_FILES)
        try:
            end_all(self.mark)  # what a run that was killed left
            self._prepare()
            for name in (*DATABASES, BROKER, RECEIVER):
                self.machines[name].start()
            self._watch.start()
            databases.settle(self._members(), self._passwords, _READY_WITHIN_S)
            self.machines[BROKER].wait_ready(_READY_WITHIN_S)
            self.command("migrate", "--database", "owner", "--no-input")
            if "web" in self.kinds:
                self.command("collectstatic", "--no-input")
            for name in (*HOSTS, PROXY):
                self.machines[name].start()
            for machine in self.machines.values():
                machine.wait_ready(_READY_WITHIN_S)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop everything that was started, and leave no process."""
        self._ending.set()
        if self._watch.is_alive():
            self._watch.join()
        try:
            for name in (PROXY, *HOSTS, RECEIVER, BROKER):
                self.machines[name].stop()
            for name in DATABASES:
                self.machines[name].kill()
        finally:  # also after a second Ctrl-C
            end_all(self.mark)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def command(self, *words: str, program: Path = ROOT) -> str:
        """Run `manage.py` of a folder with words to its end; return what it prints."""
        kind = "migrate" if words[0] == "migrate" else "console"
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=program,
            env=self._environment_of(kind),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise EmbeddedError(f"manage.py {words[0]} failed:\n{done.stdout}{done.stderr}")
        return done.stdout

    # --- The databases ----------------------------------------------------------------------------

    def primary(self) -> str | None:
        """Return the machine whose PostgreSQL takes writes, None while there is none."""
        return databases.primary(self._members())

    def wait_primary(self, but: str = "", within_s: float = 90) -> str:
        """Wait for a primary, other than `but`; return its name."""
        deadline = time.monotonic() + within_s
        while (name := self.primary()) is None or name == but:
            if time.monotonic() > deadline:
                raise EmbeddedError(f"no database became the primary within {within_s:.0f} s")
            time.sleep(0.1)
        return name

    def wait_standbys(self) -> None:
        """Wait until both standbys stream from the primary."""
        deadline = time.monotonic() + _STANDBYS_WITHIN_S
        while databases.streaming(self._members(), self._passwords) < 2:
            if time.monotonic() > deadline:
                raise EmbeddedError(f"2 standbys did not come within {_STANDBYS_WITHIN_S} s")
            time.sleep(0.2)

    def superuser_url(self, name: str) -> str:
        """Return the URL of one machine's PostgreSQL for its superuser."""
        return databases.url(self.machines[name].address, self._passwords)

    def delete_data(self, name: str) -> None:
        """Delete the data folder of a machine's PostgreSQL."""
        shutil.rmtree(self._data(name), ignore_errors=True)

    def new_disk(self, name: str) -> None:
        """Start a database's machine with an empty disk; it copies the primary's data."""
        self.machines[name].kill()
        self.delete_data(name)
        self.machines[name].start()

    def home(self, name: str) -> Path:
        """Return the folder of a database's machine, which stands for its disk."""
        return (self.folder / name).resolve()

    def small_disk(self, name: str, size_bytes: int) -> None:
        """Start a database's machine with an empty disk of that size; it copies the primary's data.

        The disk is in memory, until this process ends. It needs a namespace of mounts.
        """
        self.machines[name].kill()
        self.delete_data(name)
        home = self.home(name)
        if not home.is_mount():
            original, state = home.with_name(f"{home.name}-kept"), home.stat()
            owner = f"uid={state.st_uid},gid={state.st_gid},mode=700"
            options = f"size={size_bytes},{owner}"
            for command in (
                ["cp", "--archive", str(home), str(original)],
                ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(home)],
                ["cp", "--archive", f"{original}/.", str(home)],
            ):
                subprocess.run(command, check=True)
            shutil.rmtree(original)
        self.machines[name].start()

    def _members(self) -> dict[str, str]:
        return {name: self.machines[name].address for name in DATABASES}

    def _data(self, name: str) -> Path:
        return self.home(name) / "data"

    def _database_url(self, role: str, options: Mapping[str, str]) -> str:
        hosts = ",".join(self._members().values())
        ports = ",".join([str(PORT)] * len(DATABASES))
        words = {"host": hosts, "port": ports, **options}
        query = "&".join(f"{name}={quote(value, safe=',')}" for name, value in words.items())
        return f"postgresql://{role}:{self._passwords[role]}@/{DATABASE}?{query}"

    # --- What runs where --------------------------------------------------------------------------

    def _prepare(self) -> None:
        (self.folder / "log").mkdir(parents=True, exist_ok=True)
        account = self._account
        programs = software.installed(self.folder.parent / "cluster-software", account)
        postgres = Postgres(self.folder.parent / "cluster-software-postgres")
        postgres.folder.mkdir(exist_ok=True)
        servers = postgres.software(account)
        homes = {name: folders.place(self.folder / name, account) for name in DATABASES}
        written = databases.prepare(
            homes,
            self._members(),
            self._passwords,
            servers,
            network=self.network.range,
            synchronous=self._synchronous,
            account=account,
        )
        for name in DATABASES:
            self._add_database(name, str(programs), homes[name], written[name])
        self._add_broker()
        receiver = self.machines[RECEIVER]
        words = ["-m", "core.tools.cluster.receiver", f"{receiver.address}:8080"]
        command = [sys.executable, *words, str(self.folder / "received")]
        receiver.add("receiver", command, self._plain(), partial(bool, True))
        for name in HOSTS:
            self._add_host(name)
        self._add_proxy()

    def _add_database(self, name: str, programs: str, home: Path, configuration: Path) -> None:
        machine = self.machines[name]
        etcd = databases.etcd(programs, name, self._members(), str(home / "etcd"))
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC"}
        environment |= service_environment(str(home / databases.SERVICE_FILE))
        account = self._account
        machine.add("etcd", etcd, environment, partial(bool, True), account=account)
        patroni = [f"{programs}/python", f"{programs}/patroni", str(configuration)]
        running = partial(databases.health, machine.address, "/health")
        machine.add("patroni", patroni, environment, running, account=account)

    def _add_broker(self) -> None:
        machine = self.machines[BROKER]
        data = self.folder / "queue"
        data.mkdir(exist_ok=True)
        settings = data / "valkey.conf"
        settings.touch(mode=0o600)
        settings.write_text(
            f"bind {machine.address}\nport 6379\nrequirepass {self._passwords[BROKER]}\n"
            f'appendonly yes\nsave ""\nmaxmemory-policy noeviction\ndir {data}\nlogfile ""\n'
        )
        command = [str(binary()), str(settings)]
        machine.add(
            "valkey", command, self._plain(), partial(databases.open_at, machine.address, 6379)
        )

    def _add_host(self, name: str) -> None:
        machine, at = self.machines[name], self.machines[name].address
        own = self.folder / name
        own.mkdir(exist_ok=True)
        inside = folders.place(own / "signer", None, most_bytes=folders.SOCKET_FOLDER_BYTES)
        self._signer = inside / "socket"
        more = {
            "live": ["--folder", str(own / "live")],
            "worker": ["--hostname", f"worker@{name}"],
            "beat": ["--schedule", str(own / "beat-schedule")],
        }
        for process in (PROCESSES[kind] for kind in KINDS if kind in self.kinds):
            threads = os.environ.get("WEB_THREADS") or process.threads
            command = process.command(address=at, processes=1, threads=threads, signer=self._signer)
            if process.works:
                command = list(working())  # one for all queues: there are two processors
            environment = self._environment_of(process.kind)
            if process.role:
                environment["PROCESS_ROLE"] = process.role
            ready: Callable[[], bool] = partial(bool, True)
            if process.answers and process.port:
                metrics = own / f"metrics-{process.name}"
                metrics.mkdir(exist_ok=True)
                environment["PROMETHEUS_MULTIPROC_DIR"] = str(metrics)
                ready = partial(gives, process.port, "/readyz", at)
            elif process.kind == "signer":
                ready = partial(listens, self._signer)
            command = here([*command, *more.get(process.name, [])])
            machine.add(process.name, command, environment, ready)

    def _add_proxy(self) -> None:
        machine = self.machines[PROXY]
        folder = self.folder / "proxy"
        listening = proxy.Listening(machine.address, 8443, 8080)
        text = proxy.before([self.machines[name].address for name in HOSTS])
        text = proxy.here(text, folder, listening, self.folder)
        command = proxy.write(folder, text, machine.address)
        ready = partial(databases.open_at, machine.address, listening.port)
        machine.add("nginx", command, self._plain(), ready)

    def _environment_of(self, kind: str) -> dict[str, str]:
        return environment_of(kind, self.environment, self.folder / "secrets", self._signer)

    def _plain(self) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC"}

    def _keep_up(self) -> None:
        while not self._ending.wait(_LOOK_EVERY_S):
            for machine in self.machines.values():
                machine.revive_dead(_RESTART_AFTER_S)

    # --- In words ---------------------------------------------------------------------------------

    def rows(self) -> Iterable[tuple[str, str, str, str]]:
        """Return name, address, state and what runs there, for each machine."""
        primary = self.primary()
        for machine in self.machines.values():
            runs = ", ".join(name for name, child in machine.children.items() if child.running)
            role = machine.purpose
            if machine.name in DATABASES:
                role = "primary" if machine.name == primary else "standby"
            yield machine.name, machine.address, role if machine.up else "dead", runs or "nothing"

    def received(self) -> int:
        """Return how many entries of the public log the receiver has."""
        return len(list((self.folder / "received").glob("*.json")))

    def describe(self) -> str:
        """Return the state of Patroni's members as JSON, for a report of a fault."""
        return json.dumps({name: databases.state(at) for name, at in self._members().items()})


def _purpose(name: str) -> str:
    if name in DATABASES:
        return "database"
    return (
        "the program"
        if name in HOSTS
        else {
            BROKER: "queue of work",
            PROXY: "TLS, limits",
            RECEIVER: "keeps the public log",
        }[name]
    )

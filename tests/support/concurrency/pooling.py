"""Put PgBouncer before a server, and count the acts that bear the name of another person."""

import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier
from unittest.mock import patch
from urllib.parse import quote

import psycopg
from django.db import connection, connections, transaction
from psycopg.conninfo import conninfo_to_dict

from core.config.database_urls import database_settings
from core.database.engine import own_session
from core.journal.acting import acting
from core.premises import powers
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.tools.embedded import folders
from core.tools.embedded.processes import (
    dying_with_parent,
    server_account,
    server_environment,
)

PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
MISSING = "PgBouncer is not installed (Debian's package pgbouncer)"
_PORT = 6432  # only a part of the socket's name
_WITHIN_S = 60.0
_KIND = two_persons.Kind("test.pooled", powers.REGISTER, apply=lambda *_: None)
_WHO = "SELECT user_id FROM journal_act WHERE journal_xid = journal_number()"


@contextmanager
def pooler(
    folder: Path, url: str, *, mode: str = "transaction", sessions: int = 1, drops: str = "options"
) -> Iterator[str]:
    """Run PgBouncer before the server of `url`; yield a URL that leads to the server through it.

    It has so many sessions of the server, and leaves out the settings that it `drops`, as the
    manuals of services that are run with one say; with none it refuses who has settings.
    """
    parts = {word: str(value) for word, value in conninfo_to_dict(url).items()}
    account = server_account(Path("/nonexistent"))
    folder.mkdir(parents=True, exist_ok=True)
    own = folders.place(folder / "pooler", account, most_bytes=folders.SOCKET_FOLDER_BYTES)
    server = " ".join(
        f"{word}='{parts[word]}'" for word in ("host", "port", "dbname", "user", "password")
    )
    written = own / "pgbouncer.ini"
    written.write_text(
        f"[databases]\n{parts['dbname']} = {server}\n[pgbouncer]\nlisten_addr =\n"
        f"listen_port = {_PORT}\nunix_socket_dir = {own}\nauth_type = any\npool_mode = {mode}\n"
        f"default_pool_size = {sessions}\nmax_client_conn = 200\n"
        f"ignore_startup_parameters = extra_float_digits,{drops}\n"
    )
    folders.give(own, account)
    arguments = account.popen_arguments() if account else {}
    with (own / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(PGBOUNCER), str(written)],
            cwd="/",
            env=server_environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=dying_with_parent(signal.SIGKILL),  # noqa: PLW1509  (no thread forks here)
            **arguments,
        )
    through = (
        f"postgresql://{parts['user']}:{quote(parts['password'], safe='')}@/"
        f"{quote(parts['dbname'], safe='')}?host={quote(str(own), safe='')}&port={_PORT}"
    )
    try:
        _wait(process, through, own / "log")
        yield through
    finally:
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + _WITHIN_S
    while True:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"PgBouncer does not answer: {log.read_text()}") from None
        time.sleep(0.02)


@contextmanager
def used(url: str) -> Iterator[None]:
    """Point the application's connection of Django, in all threads, to that address."""
    read, settings = database_settings(url), connections.settings["default"]
    before = {word: settings[word] for word in ("HOST", "PORT")}
    connections.close_all()
    settings.update({word: read[word] for word in before})
    try:
        yield
    finally:
        connections.close_all()
        settings.update(before)


@contextmanager
def unchecked() -> Iterator[None]:
    """Open connections without the check that no other client uses their session: the twin."""
    with patch.object(own_session, "verify_own"):
        yield


def acts_of_others(people: Sequence[StaffActor], acts_each: int, *, kept: bool = True) -> int:
    """Run acts of several persons at once, each on a connection of its own; return how many acts
    the journal has under another person's name.

    All begin their acts before the first of them writes. What is not `kept` is rolled back.
    """
    pace = Barrier(len(people), timeout=_WITHIN_S * 3)

    def act(by: StaffActor) -> int:
        wrong = 0
        try:
            for _ in range(acts_each):
                with acting("test.pooled", staff=by.user_id):
                    connection.ensure_connection()  # a new one is told who acts as it opens
                    pace.wait()
                    wrong += _who_proposed(by, kept=kept) != by.user_id
                    pace.wait()
        except BaseException:
            pace.abort()
            raise
        finally:
            connections.close_all()
        return wrong

    with (
        patch.dict(two_persons.kinds(), {_KIND.name: _KIND}),
        ThreadPoolExecutor(len(people)) as pool,
    ):
        return sum(pool.map(act, people))


def _who_proposed(by: StaffActor, *, kept: bool) -> int | None:
    """Propose something as a person; return the person whom the journal names."""
    with transaction.atomic():
        two_persons.propose(kind=_KIND, subject=str(uuid.uuid4()), content={}, by=by)
        with connection.cursor() as cursor:
            cursor.execute(_WHO)
            (named,) = cursor.fetchone()
        transaction.set_rollback(not kept)
    return None if named is None else int(named)

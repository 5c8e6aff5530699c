"""Say what is wrong with this machine: what processes ask at their start, and what they need later.

It changes nothing. A check that cannot be made because the database is away says so, and the others
are made all the same.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from kombu.exceptions import OperationalError as BrokerError

from core.alarms.selectors import standing
from core.config import startup
from core.database.machines import machines
from core.database.management.refusing import sentence
from core.database.models import ClockWatch
from core.database.reading.asking import fetch_row, fetch_value
from core.kernel.errors import DomainError
from core.proofs import keys
from core.proofs.models import SigningKey

_STATEMENT_MS: Final = 10_000
_BROKER_S: Final = 2.0
_CLOCK_S: Final = 2.0
_ROOM_BYTES: Final = 1 << 30
_ROOM_SHARE: Final = 0.05
_BUSY_SHARE: Final = 0.9


class State(StrEnum):
    OK = "ok"
    NOTE = "note"
    FAULT = "FAULT"
    UNSEEN = "unseen"


@dataclass(frozen=True, slots=True)
class Finding:
    """The words for a check: those of a fault say what to do."""

    name: str
    state: State
    words: str


class Fault(Exception):
    """Something is wrong; the text says what to do."""


class Note(Exception):
    """Something a person should know, by which nothing fails."""


def findings() -> Iterator[Finding]:
    """Yield what each check sees, in the order in which faults are to be mended."""
    is_usable = True
    for name, needs_database, check in _CHECKS:
        if needs_database and not is_usable:
            yield Finding(name, State.UNSEEN, "needs the database: mend that first")
            continue
        finding = _look(name, check)
        is_usable &= name not in _FIRST or finding.state is not State.FAULT
        yield finding


def _look(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, State.OK, check())
    except Note as note:
        return Finding(name, State.NOTE, str(note))
    except (Fault, DomainError) as fault:
        return Finding(name, State.FAULT, str(fault))
    except (ImproperlyConfigured, DatabaseError, InterfaceError) as fault:
        connection.close()  # or its next statement would fail for the same reason
        return Finding(name, State.FAULT, sentence(fault))


def _database() -> str:
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [str(_STATEMENT_MS)])
    version, number, role, is_encrypted, is_local = fetch_row(
        "SELECT current_setting('server_version'), current_setting('server_version_num')::integer,"
        " current_user, (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()),"
        " inet_client_addr() IS NULL OR inet_client_addr() = inet_server_addr()"
    )
    words = f"PostgreSQL {version.split()[0]}, as {role}"
    if number < startup.OLDEST_SERVER:
        raise Fault(f"{words}: 16 is the oldest; DATABASE_URL names another server, or upgrade it")
    if not is_encrypted:
        if is_local:
            return f"{words}, on this machine"
        raise Note(f"{words}, without TLS; say sslmode=verify-full in DATABASE_URL")
    if connection.settings_dict["OPTIONS"].get("sslmode") != "verify-full":
        raise Note(f"{words}, by TLS with any certificate; say sslmode=verify-full in DATABASE_URL")
    return f"{words}, by TLS with its certificate verified"


def _writes() -> str:
    try:
        startup.verify_primary()
    except startup.ReadOnly:
        raise Fault(
            "the database takes no writes: it is a standby, or was made read-only; name the one"
            " that takes them in DATABASE_URL, or end what made it read-only"
        ) from None
    return "taken"


def _migrations() -> str:
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if plan:
        first = plan[0][0]
        raise Fault(
            f"{len(plan)} are missing, such as {first.app_label}.{first.name}; run migrate of this"
            " program as the owner"
        )
    newer = sorted(set(executor.loader.applied_migrations) - set(executor.loader.disk_migrations))
    if newer:
        raise Note(
            f"{len(newer)} are not of this program, such as {'.'.join(newer[0])}: a newer release"
            " migrated this database; do not run migrate of this one"
        )
    return "all applied"


def _server() -> str:
    startup.verify_server()
    state = machines()
    if state.sessions > _BUSY_SHARE * state.most_sessions:
        raise Fault(
            f"{state.sessions} of {state.most_sessions} sessions are open; end what hangs"
            " (pg_stat_activity), or raise max_connections"
        )
    words = f"fit; {state.sessions} of {state.most_sessions} sessions"
    if state.without_second:
        raise Note(f"{words}; an answered sale is on one machine only: {state.without_second}")
    return words


def _keys() -> str:
    compared = startup.verify_keys(record=False)
    if not compared:
        raise Note(
            f"none compared: a process of the kind {settings.PROCESS} in this profile holds none;"
            " compare them with those of the kind that does not start"
        )
    return f"{', '.join(compared)} are those of this database"


def _signer() -> str:
    if not keys.are_known():
        raise Note(f"not asked: a process of the kind {settings.PROCESS} signs nothing")
    try:
        held = keys.held_public()
    except keys.SigningKeyMissing as missing:
        raise Fault(
            f"no signer answers at {settings.SIGNER}; start it, or see whether this account may"
            " open its socket. Sales go on; nothing is sealed, settled or put on sale"
        ) from missing
    in_force = SigningKey.objects.filter(in_force=True).first()
    if in_force and bytes(in_force.public_key) not in held:
        raise Fault(
            "SIGNING_KEYS is not the key in force: nothing can be sealed or settled; put its file"
            " back, or see docs/operations/keys.md for a lost key"
        )
    return "signs with the key in force" if in_force else "answers; nothing was published yet"


def _clock() -> str:
    asked_s = time.time()
    server_s = float(fetch_value("SELECT extract(epoch FROM core_server_clock())"))
    ahead_s = server_s - (asked_s + time.time()) / 2
    watch = ClockWatch.objects.first()
    if watch and watch.unsound:
        raise Fault(
            "sales are stopped: the database's clock is wrong; by this machine's it is off by"
            f" {ahead_s:+.1f} s. Set it right there, and sales go on by themselves"
        )
    if abs(ahead_s) > _CLOCK_S:
        raise Fault(
            f"the database's clock and this machine's differ by {abs(ahead_s):.1f} s; look at NTP"
            " (chronyc tracking) on both, and set the wrong one right"
        )
    return f"differs by {abs(ahead_s):.1f} s from this machine's"


def _static() -> str:
    startup.verify_files()
    return "collected" if settings.PRODUCTION else "found in the program"


def _folder() -> str:
    place = settings.VAR_DIR
    if not os.access(place, os.W_OK | os.X_OK):
        raise Fault(f"this account cannot write in VAR_DIR, {place}; make the folder, or give it")
    disk = shutil.disk_usage(place)
    words = f"{disk.free >> 20} MB are free for VAR_DIR, {place}"
    if disk.free < min(_ROOM_BYTES, _ROOM_SHARE * disk.total):
        raise Fault(f"{words}; make room: see DiskFilling in docs/alarms.md")
    return words


def _broker() -> str:
    from core.config.celery import app

    try:
        with app.connection_for_write(connect_timeout=_BROKER_S) as broker:
            broker.ensure_connection(max_retries=0, timeout=_BROKER_S)
    except (BrokerError, OSError) as error:
        raise Fault(
            f"{' '.join(str(error).split())}; start it, or put BROKER_URL right. Sales go on;"
            " closings and settlements take half a minute, and nights wait"
        ) from error
    return "answers"


def _workers() -> str:
    if not machines().works:
        raise Fault(
            "no worker has answered for a minute; start workers and beat, and read their log: one"
            " whose machine's clock is ahead discards each task as revoked. Sales go on; closings"
            " and settlements take half a minute, and nights wait"
        )
    return "answer"


def _alarms() -> str:
    codes = sorted({each.alarm.code for each in standing()})
    if codes:
        raise Note(f"{', '.join(codes)} stand; docs/alarms.md says what to do")
    return "none"


_FIRST: Final = ("database", "migrations")
_CHECKS: Final[tuple[tuple[str, bool, Callable[[], str]], ...]] = (
    ("database", False, _database),
    ("writes", True, _writes),
    ("migrations", True, _migrations),
    ("server", True, _server),
    ("keys", True, _keys),
    ("signer", True, _signer),
    ("clock", True, _clock),
    ("static files", False, _static),
    ("folder", False, _folder),
    ("broker", False, _broker),
    ("workers", True, _workers),
    ("alarms", True, _alarms),
)

"""Check that database, keys and files are fit before a process serves or works."""

import hmac
from collections.abc import Iterator

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.backends.utils import CursorWrapper

from core.database.engine.own_session import SessionPooled
from core.database.guards import GUARDS, guarded_models
from core.database.machines import machines
from core.database.models import KeyMark
from core.journal.acting import acting
from core.journal.install import unjournaled
from core.journal.lineages import unbegun
from core.kernel.holding import HELD
from core.screens.static_files import uncollected

REQUIRED_ON = ("fsync", "full_page_writes", "synchronous_commit")
OLDEST_SERVER = 160000
RINGS = ("CODE_KEYS", "DATA_KEYS", "TOKEN_KEYS", "SEED_KEYS")
"""Rings whose versions stand in the database. Those that sign have their public halves there."""
_UNFIT = "the database is not fit to serve"
SERVER_CLOCK = "SELECT clock_timestamp()"  # in production nothing is added to it


class ReadOnly(Exception):
    """The server takes no writes: it is a standby, or was made read-only."""


def verify_primary() -> None:
    """Raise ReadOnly if this session's server takes no writes, and close the session."""
    if _takes_no_writes():
        connection.close()
        raise ReadOnly


def _takes_no_writes() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        (read_only,) = cursor.fetchone()
    return bool(read_only == "on")


def verify_server() -> None:
    """Refuse a server that could lose an answered sale, or a role that could rewrite history.

    Raises ImproperlyConfigured naming every fault; behind a pooler that one alone, as nobody
    connects. The role is checked in production only: a demonstration on one machine may use a
    single role.
    """
    try:
        connection.ensure_connection()
    except SessionPooled as pooled:
        raise ImproperlyConfigured(f"{_UNFIT}: {pooled}") from pooled
    faults = []
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)",
            [[*REQUIRED_ON, "server_version_num"]],
        )
        setting = dict(cursor.fetchall())
        faults += [
            f"{name} is off: switch it on in postgresql.conf and reload"
            for name in REQUIRED_ON
            if setting[name] == "off"
        ]
        if int(setting["server_version_num"]) < OLDEST_SERVER:
            faults.append("PostgreSQL is older than 16: this is another server, or upgrade it")
        cursor.execute(
            "SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgname = ANY(%s)"
            " AND tgenabled IN ('O', 'A') GROUP BY tgrelid HAVING count(*) = %s",
            [list(GUARDS), len(GUARDS)],
        )
        guarded = {name for (name,) in cursor.fetchall()}
        tables = {model._meta.db_table for model in guarded_models()}
        if not tables <= guarded:
            faults.append(f"tables without guards: {sorted(tables - guarded)}; run migrate")
        without_journal = unjournaled(cursor)
        if without_journal:
            faults.append(f"tables without the journal: {without_journal}; run migrate")
        missing = None if without_journal else unbegun()
        if missing:
            faults.append(f"lineage_not_begun: {missing}")
        if settings.PRODUCTION:
            faults += _production_faults(cursor)
    if faults:
        raise ImproperlyConfigured(f"{_UNFIT}: {'; '.join(faults)}")


def _production_faults(cursor: CursorWrapper) -> list[str]:
    """Return the faults that only production refuses."""
    faults = []
    alone = "" if settings.WITHOUT_SECOND_MACHINE else machines().without_second
    if alone:
        faults.append(f"an answered sale is on one machine only: {alone}")
    cursor.execute(
        "SELECT rolsuper OR pg_has_role(current_user, c.relowner, 'MEMBER')"
        " FROM pg_roles, pg_class c WHERE rolname = current_user"
        " AND c.oid = to_regclass('ledger_transfer')"
    )
    row = cursor.fetchone()
    if row and row[0]:
        faults.append(
            "the application connects as the owner of its tables: name its own role in DATABASE_URL"
        )
    cursor.execute("SELECT btrim(prosrc, E' \\n') FROM pg_proc WHERE proname = 'core_server_clock'")
    if [source.strip() for (source,) in cursor.fetchall()] != [SERVER_CLOCK]:
        faults.append("the server's clock is not the machine's; run migrate")
    cursor.execute("SELECT EXISTS (SELECT FROM database_clockoffset)")
    if cursor.fetchone()[0]:
        faults.append("this database has run on simulated time")
    cursor.execute("SELECT has_any_column_privilege('database_clockoffset', 'INSERT')")
    if cursor.fetchone()[0]:
        faults.append("the application may move the clock; run migrate")
    return faults


def verify_keys(*, record: bool = True) -> list[str]:
    """Refuse a key other than the one that this database was used with under the same version.

    With it a process would sell tickets that no other process can pay. A version that is new here
    is put on record, if `record` says so and anything can be written: a command may read a standby,
    or begin a lineage. Return the names of the rings compared. Raises ImproperlyConfigured naming
    the first key that differs; in production only.
    """
    ours = {(mark.ring, mark.version): mark for mark in _marks()} if settings.PRODUCTION else {}
    if not ours:
        return []
    on_record = _on_record()
    new = [mark for key, mark in ours.items() if key not in on_record]
    if new and record and not _takes_no_writes() and unbegun() is None:
        with acting("keys.mark"):
            KeyMark.objects.bulk_create(new, ignore_conflicts=True)
        on_record = _on_record()  # another process may have been first
    for (ring, version), mark in ours.items():
        if on_record.get((ring, version), mark.mark) != mark.mark:
            raise ImproperlyConfigured(
                f"{ring}: version {version} is another key than the one that this database was used"
                " with; give this process the file that the others have, and a new key a new"
                " version"
            )
    return sorted({ring for ring, _ in ours})


def _marks() -> Iterator[KeyMark]:
    """Return the mark of each key that this process holds."""
    for name in RINGS:
        if name not in HELD[settings.PROCESS]:
            continue
        ring = getattr(settings, name)
        keys = ring.ring if name == "CODE_KEYS" else ring[1]
        for version, key in keys.items():
            secret = b"".join(key) if name == "CODE_KEYS" else key
            digest = hmac.digest(secret, f"lototrot key mark {name} {version}".encode(), "sha256")
            yield KeyMark(ring=name, version=version, mark=digest)


def _on_record() -> dict[tuple[str, str], bytes]:
    rows = KeyMark.objects.values_list("ring", "version", "mark")
    return {(ring, version): bytes(mark) for ring, version, mark in rows}


def verify_files() -> None:
    """Refuse to show pages without their scripts and styles. Raises ImproperlyConfigured.

    Only what terminals sell by shows none (PROCESS_ROLE `sales`); in production only.
    """
    if not settings.PRODUCTION or settings.PROCESS_ROLE == "sales":
        return
    missing = uncollected()
    if missing:
        raise ImproperlyConfigured(
            f"{len(missing)} static files are not in {settings.STATIC_ROOT}, or this account cannot"
            f" read them, such as {missing[0]}; run collectstatic with the same VAR_DIR, umask 022"
        )

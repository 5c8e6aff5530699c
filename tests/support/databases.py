"""Make databases for tests: one template, migrated by the owner, and clones of it.

The name of the template is a digest of the files that decide its content, so it serves every run
until one of them changes. No session stays connected to it, so it can be cloned at any time. A run
drops what a killed run left; a run is alive while its session `test_<run>` is open.
"""

import hashlib
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

import psycopg
import pytest
from django.core.management import call_command
from django.db import DatabaseError, connections
from django.test.testcases import _DatabaseFailure
from psycopg import sql

from core.config import database_urls
from core.kernel.days import MADRID
from core.tools.embedded.postgres import restrict
from core.tools.embedded.server import ROOT

_ALIASES = ("default", "owner")
_MORNING = time(10)
_RUN = "LOTOTROT_TEST_RUN"
# Tables, functions, triggers, grants and first rows come from these files.
_DECIDING = (
    *("**/migrations/*.py", "**/*.sql", "**/models.py", "**/models/*.py", "**/apps.py"),
    *("**/journal_rules.py", "database/**/*.py", "journal/**/*.py"),
)
_ALSO = ("core/config/settings.py", "tests/support/databases.py", "requirements.lock")
# Taken once: a test may change its environment.
_APP_URL = os.environ["DATABASE_URL"]
_OWNER_URL = os.environ["DATABASE_OWNER_URL"]


@dataclass(frozen=True, slots=True)
class Database:
    """A database for one test, with URLs for child processes."""

    name: str
    app_url: str
    owner_url: str

    @property
    def environment(self) -> dict[str, str]:
        return {"DATABASE_URL": self.app_url, "DATABASE_OWNER_URL": self.owner_url}


def _named(url: str, name: str) -> str:
    return urlsplit(url)._replace(path="/" + quote(name)).geturl()


def database(name: str) -> Database:
    return Database(name, _named(_APP_URL, name), _named(_OWNER_URL, name))


def _owner(**options: Any) -> psycopg.Connection:
    return psycopg.connect(_OWNER_URL, autocommit=True, **options)


def open_run() -> psycopg.Connection:
    """Begin a run and drop what dead runs left. The run lives as long as the session returned."""
    run = os.environ[_RUN] = secrets.token_hex(4)
    session = _owner(application_name=f"test_{run}")
    stale = session.execute(
        "SELECT d.datname FROM pg_database d WHERE d.datname ~ '^test_[0-9a-f]{8}_' AND NOT EXISTS"
        " (SELECT FROM pg_stat_activity a WHERE a.application_name = substr(d.datname, 1, 13))"
    ).fetchall()
    for (name,) in stale:
        _drop(session, name)
    return session


def close_run(session: psycopg.Connection) -> None:
    if session.broken:  # a test stopped the server; what is left is for the next run
        return
    own = session.execute(
        "SELECT datname FROM pg_database WHERE starts_with(datname, %s)",
        [f"test_{os.environ[_RUN]}_"],
    ).fetchall()
    for (name,) in own:
        _drop(session, name)
    session.close()


def _drop(session: psycopg.Connection, name: str) -> None:
    """Drop a database and end its sessions. FORCE may not end an autovacuum; a plain DROP
    stops it.
    """
    drop = sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(name))
    try:
        session.execute(drop + sql.SQL(" WITH (FORCE)"))
    except psycopg.errors.InsufficientPrivilege:
        session.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = %s AND backend_type = 'client backend'",
            [name],
        )
        session.execute(drop)


def _create(session: psycopg.Connection, name: str, template: str) -> None:
    """Copy a database file by file: block by block through the log takes twice the time."""
    session.execute(
        sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
            sql.Identifier(name), sql.Identifier(template)
        )
    )
    restrict(session, name, database_urls.database_settings(_APP_URL)["USER"])


def allow_connections() -> None:
    """Let this process use all connections again, whatever a test left.

    Django forbids the owner's to a test with `db`, and allows it at its end. If the end fails, as
    for rows that a deferred constraint refuses, pytest-django leaves that out: then every later
    test of the process that acts as the owner would fail.
    """
    for alias in _ALIASES:
        connection = connections[alias]
        for name in list(vars(connection)):
            while isinstance(getattr(connection, name), _DatabaseFailure):
                setattr(connection, name, getattr(connection, name).wrapped)


@contextmanager
def _pointed_at(name: str) -> Iterator[None]:
    """Make both connections of Django use the database `name`, in all threads."""
    before = {alias: connections.settings[alias]["NAME"] for alias in _ALIASES}
    connections.close_all()
    for alias in _ALIASES:
        connections.settings[alias]["NAME"] = name
    try:
        yield
    finally:
        connections.close_all()
        for alias in _ALIASES:
            connections.settings[alias]["NAME"] = before[alias]


def _digest() -> str:
    """Return a digest of the files that decide the content of a migrated database."""
    digest = hashlib.sha256()
    paths = {ROOT / name for name in _ALSO}
    for package in ("core", "lototrot", "promotrot"):
        for pattern in _DECIDING:
            paths.update((ROOT / package).glob(pattern))
    for path in sorted(paths):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


AT_START = _digest()


def migrate() -> None:
    """Migrate an empty database."""
    call_command("migrate", database="owner", interactive=False, verbosity=0)


def _template(session: psycopg.Connection) -> str:
    """Return the migrated template. The first process makes it, and later runs use it."""
    name = f"test_template_{AT_START}"
    session.execute("SELECT pg_advisory_lock(hashtext('test_template'))")
    try:
        if not session.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone():
            _drop_templates(session)
            draft = f"{name}_draft"
            _create(session, draft, "template1")
            with _pointed_at(draft):
                migrate()
            if _digest() != AT_START:
                raise RuntimeError("the code changed while the tests began: begin again")
            session.execute(
                sql.SQL("ALTER DATABASE {} RENAME TO {}").format(
                    sql.Identifier(draft), sql.Identifier(name)
                )
            )
    finally:
        session.execute("SELECT pg_advisory_unlock(hashtext('test_template'))")
    return name


def _drop_templates(session: psycopg.Connection) -> None:
    """Drop the templates of other states of the code, and unfinished ones."""
    names = session.execute(
        "SELECT datname FROM pg_database WHERE starts_with(datname, 'test_template_')"
    ).fetchall()
    for (name,) in names:
        _drop(session, name)


def clock_ahead_sql(by: timedelta) -> str:
    """Return the statement that sets the clock of a database's server wrong for every session."""
    return (
        "CREATE OR REPLACE FUNCTION public.core_server_clock() RETURNS timestamptz LANGUAGE sql"
        " VOLATILE PARALLEL SAFE AS"
        f" $$ SELECT clock_timestamp() + interval '{by.total_seconds():f} seconds' $$"
    )


def _until_morning() -> timedelta:
    """Return how long it is until ten in the morning in Madrid, at most a day."""
    now = datetime.now(MADRID)
    today = datetime.combine(now.date(), _MORNING, MADRID)
    tomorrow = datetime.combine(now.date() + timedelta(days=1), _MORNING, MADRID)
    return (today if today > now else tomorrow).astimezone(UTC) - now.astimezone(UTC)


@cache
def _in_the_morning() -> str:
    """Return this process's own copy of the template, with a clock that stands at ten."""
    name = _new_name()
    with _owner() as session:
        _create(session, name, _template(session))
    with psycopg.connect(database(name).owner_url) as session:
        session.execute(clock_ahead_sql(_until_morning()))
    return name


def _new_name() -> str:
    return f"test_{os.environ[_RUN]}_{secrets.token_hex(4)}"


@contextmanager
def clone() -> Iterator[Database]:
    """Make a copy of the migrated template and let Django use it until the end.

    Its server's clock stood at ten in the morning when the process made its first: a test is the
    same at every hour it runs, and what happens three hours later happens on the same day.
    """
    with _copy_of(_in_the_morning()) as copy:
        yield copy


@cache
def prepared(make: Callable[[], object], original: str = "") -> str:
    """Return the name of a copy in which `make` was called, for copies of it (`restored`).

    It is a copy of the database named `original`, or of the migrated template. This process makes
    it once, and it stays until the end of the run. What it caches of the database is true of its
    copies.
    """
    name = _new_name()
    connections.close_all()  # nobody may be connected to the original
    with _owner() as session:
        _create(session, name, original or _in_the_morning())
    with _pointed_at(name):
        make()
    return name


@contextmanager
def restored(backup: str) -> Iterator[Database]:
    """Make a copy of a database, by its name, and let Django use that until the end: what a restore
    of a backup of this moment is. Nobody may be connected to the database when it begins.
    """
    connections.close_all()
    with _copy_of(backup) as copy:
        yield copy


@contextmanager
def _copy_of(original: str) -> Iterator[Database]:
    name = _new_name()
    with _owner() as session:
        _create(session, name, original)
        try:
            with _pointed_at(name):
                yield database(name)
        finally:
            _drop(session, name)


def refused(statement: str, by: str) -> None:
    """Run a statement as the owner, which the database refuses with a message that `by` matches."""
    error = pytest.raises((DatabaseError, psycopg.Error), match=by)
    with error, connections["owner"].cursor() as owner:
        owner.execute(statement)

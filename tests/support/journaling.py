"""Seal the journal in tests, and look at it with the rights of its owner."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain

from django.db import connection, connections, transaction

from core.journal import rows
from core.journal.install import Journaled, journaled
from core.journal.services import batch_seal
from core.journal.verifying import Finding, batch_findings, table_findings
from tests.support.databases import Database

TABLES = {table.name: table for table in journaled()}


def seal_all() -> None:
    """Seal everything written so far, with an act of its own, so that there is a batch."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT journal_note()")
    assert batch_seal() is not None


@contextmanager
def as_owner(database: Database) -> Iterator[None]:
    """Let Django's connection be the owner's."""
    settings = connections.settings["default"]
    before = dict(settings)
    connections.close_all()
    settings |= {name: connections.settings["owner"][name] for name in ("USER", "PASSWORD")}
    try:
        yield
    finally:
        connections.close_all()
        settings |= before


@contextmanager
def meanwhile(words: str, act: Callable[[], object]) -> Iterator[None]:
    """Once a statement with these words was executed, do an act on other connections, and go on.

    Fails if there was no such statement. It happens once.
    """
    done = False

    def elsewhere() -> None:
        try:
            act()
        finally:
            connections.close_all()

    def watch(
        execute: Callable[..., object], sql: str, parameters: object, many: bool, context: object
    ) -> object:
        nonlocal done
        result = execute(sql, parameters, many, context)
        if not done and words in f"{sql} {parameters}":
            done = True
            with ThreadPoolExecutor(1) as other:
                other.submit(elsewhere).result()
        return result

    with connection.execute_wrapper(watch):
        yield
    assert done, f"no statement with {words!r}"


@contextmanager
def touched(*tables: str) -> Iterator[None]:
    """Act as the owner with the triggers of the tables disabled, and undo everything at the end."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            for table in tables:
                cursor.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
        yield
        transaction.set_rollback(True)


def execute(statement: str, parameters: list[object] | None = None) -> int:
    """Return the number of rows that the statement changed."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return int(cursor.rowcount)


def forge(statement: str) -> None:
    """Change a table as a person with the owner's password could, with its triggers disabled."""
    table = statement.split()[1]
    with connections["owner"].cursor() as cursor:
        cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        cursor.execute(statement)
        assert cursor.rowcount > 0


def findings(*tables: Journaled) -> list[Finding]:
    """Return what the verification says about the tables, or about the batches if no table is
    named.
    """
    with transaction.atomic(), rows.ready():
        return list(
            chain.from_iterable(map(table_findings, tables)) if tables else batch_findings()
        )

"""Tamper with every table as its owner with triggers disabled; the journal names the place.

The tests take the tables from the models, so that a new model is tested as well. Each table has
three bare rows, written without constraints and sealed in one batch; the second was updated in the
normal way.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection, transaction
from psycopg import sql
from pytest_django import DjangoDbBlocker

from core.journal import rows
from core.journal.install import COLUMN, Journaled, journaled
from core.journal.spans import WHOLE, Part
from core.journal.verifying import Fault, table_findings
from tests.support import databases
from tests.support.columns import OTHER_JSON, table_columns
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, findings, seal_all, touched

TABLES = [table for table in journaled() if table.has_triggers]
EACH = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
ROWS = (101, 102, 103)


def relax(owner: psycopg.Connection, table: str) -> None:
    """Drop everything that could refuse a row but the primary key and the journal's triggers."""
    name = sql.Identifier(table)
    for (trigger,) in owner.execute(
        "SELECT tgname FROM pg_trigger WHERE tgrelid = to_regclass(%s) AND NOT tgisinternal"
        " AND NOT starts_with(tgname, 'journal_')",
        [table],
    ).fetchall():
        owner.execute(
            sql.SQL("ALTER TABLE {} DISABLE TRIGGER {}").format(name, sql.Identifier(trigger))
        )
    for (constraint,) in owner.execute(
        "SELECT conname FROM pg_constraint WHERE conrelid = to_regclass(%s)"
        " AND contype IN ('c', 'f', 'x', 'u')",
        [table],
    ).fetchall():
        owner.execute(
            sql.SQL("ALTER TABLE {} DROP CONSTRAINT {} CASCADE").format(
                name, sql.Identifier(constraint)
            )
        )
    for (index,) in owner.execute(
        "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = to_regclass(%s)"
        " AND indisunique AND NOT indisprimary",
        [table],
    ).fetchall():
        owner.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(index)))
    for (column,) in owner.execute(
        "SELECT a.attname FROM pg_attribute a WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0"
        " AND a.attnotnull AND NOT a.attisdropped AND a.attname <> %s AND NOT EXISTS"
        " (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary"
        " AND a.attnum = ANY (i.indkey))",
        [table, COLUMN],
    ).fetchall():
        owner.execute(
            sql.SQL("ALTER TABLE {} ALTER {} DROP NOT NULL").format(name, sql.Identifier(column))
        )


def fill(owner: psycopg.Connection, table: Journaled) -> None:
    for row in ROWS:
        owner.execute(f'INSERT INTO "{table.name}" ("{table.key}") VALUES (%s)', [row])
    others = table_columns(owner, table.name)
    for column in table.changing:
        owner.execute(
            f'UPDATE "{table.name}" SET "{column}" = {others[column]} WHERE "{table.key}" = 102'
        )


@pytest.fixture(scope="module")
def database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Database]:
    """Yield a database with sealed rows in all tables; the tests restore what they change."""
    with django_db_blocker.unblock(), databases.clone() as server:
        with as_owner(server):
            seal_all()  # with the key that signs
        with psycopg.connect(server.owner_url) as owner:
            owner.execute("SELECT set_config('core.act', 'tests', false)")
            for table in TABLES:
                relax(owner, table.name)
            owner.commit()
            for table in TABLES:
                fill(owner, table)
        with as_owner(server):
            seal_all()
            yield server


@pytest.fixture(scope="module")
def part(database: Database) -> Part:
    """Return the whole journal with its batches, which stay."""
    return WHOLE.read()


def others(table: Journaled) -> dict[str, str]:
    connection.ensure_connection()
    return table_columns(connection.connection, table.name)


@contextmanager
def undone() -> Iterator[None]:
    """Undo at the end what is written meanwhile, within a transaction that goes on."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def change(table: Journaled, column: str, other: str, *touched_rows: int) -> None:
    """Write another value into rows: NULL where it is `other` already."""
    value = other if column != table.key else f'"{column}" + 1000'
    held = f'"{column}"::jsonb' if other == OTHER_JSON else f'"{column}"'  # json has no equality
    new = f"nullif({value}, {held})"
    assert execute(
        f'UPDATE "{table.name}" SET "{column}" = {new} WHERE "{table.key}" IN'
        f" ({', '.join(map(str, touched_rows))}) AND {held} IS DISTINCT FROM {new}"
    ) == len(touched_rows)


@EACH
def test_every_column_of_every_row(part: Part, table: Journaled) -> None:
    """Change a column of all rows: each of them is named, and nothing else."""
    assert findings(table) == []
    with touched(table.name), rows.ready():
        for column, other in others(table).items():
            with undone():
                change(table, column, other, *ROWS)
                differences = list(table_findings(table, part))
            named = {each.row for each in differences}
            if column == table.key:
                assert named >= set(ROWS), column
            else:
                assert named == (set() if column in table.derived else set(ROWS)), column
            assert {each.table for each in differences} <= {table.name}


@EACH
def test_rows_removed_changed_and_added(part: Part, table: Journaled) -> None:
    name, key = table.name, table.key
    values = others(table)
    columns = ", ".join(f'"{column}"' for column in values if column != key)
    first, other_value = next(
        each for each in values.items() if each[0] not in (key, *table.derived)
    )
    with touched(name), rows.ready():
        for row in ROWS:
            with undone():
                execute(f'DELETE FROM "{name}" WHERE "{key}" = {row}')
                assert [(f.what, f.row, f.batch) for f in table_findings(table, part)] == [
                    (Fault.ROW_REMOVED, row, 2)
                ]
            with undone():
                change(table, first, other_value, row)
                assert {f.row for f in table_findings(table, part)} == {row}
        with undone():  # a copy of a row, as if it had been written with it
            execute(
                f'INSERT INTO "{name}" ("{key}", {columns}) SELECT 107, {columns} FROM "{name}"'
                f' WHERE "{key}" = 101'
            )
            assert [(f.what, f.row) for f in table_findings(table, part)] == [
                (Fault.ROW_ADDED, 107)
            ]
        with undone():  # a new row, written without the journal
            execute(f'INSERT INTO "{name}" ("{key}") VALUES (108)')
            assert [(f.what, f.row) for f in table_findings(table, part)] == [
                (Fault.ROW_WITHOUT_ACT, 108)
            ]

"""Tamper with every table as its owner with triggers disabled; the journal names the place.

The tests take the tables from the models, so that a new model is tested as well. Each table has
three bare rows, written without constraints and sealed in one batch; the second was updated in the
normal way.
"""

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from core.journal.install import COLUMN, Journaled, journaled
from core.journal.verifying import Fault
from tests.support import databases
from tests.support.columns import table_columns
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
def database(django_db_setup: None, django_db_blocker: object) -> Iterator[Database]:
    """Yield a database with sealed rows in all tables; the tests restore what they change."""
    with django_db_blocker.unblock(), databases.clone() as found:  # type: ignore[attr-defined]
        with as_owner(found):
            seal_all()  # with the key that signs
        with psycopg.connect(found.owner_url) as owner:
            owner.execute("SELECT set_config('core.act', 'tests', false)")
            for table in TABLES:
                relax(owner, table.name)
            owner.commit()
            for table in TABLES:
                fill(owner, table)
        with as_owner(found):
            seal_all()
            yield found


def others(table: Journaled) -> dict[str, str]:
    connection.ensure_connection()
    return table_columns(connection.connection, table.name)


@EACH
def test_every_column_of_every_row(database: Database, table: Journaled) -> None:
    assert findings(table) == []
    for column, other in others(table).items():
        for row in ROWS:
            with touched(table.name):
                value = other if column != table.key else f'"{table.key}" + 1000'
                change = f'UPDATE "{table.name}" SET "{column}" = {{}} WHERE "{table.key}" = {row}'
                differs = f' AND "{column}" IS DISTINCT FROM '
                assert execute(change.format(value) + differs + value) or execute(
                    change.format("NULL") + differs + "NULL"
                )
                found = findings(table)
            if column in table.derived:
                assert found == []
            else:
                assert row in {each.row for each in found}, column
                assert {each.table for each in found} == {table.name}


@EACH
def test_rows_removed_and_added(database: Database, table: Journaled) -> None:
    name, key = table.name, table.key
    columns = ", ".join(f'"{column}"' for column in others(table) if column != key)
    for row in ROWS:
        with touched(name):
            execute(f'DELETE FROM "{name}" WHERE "{key}" = {row}')
            assert [(f.what, f.row, f.batch) for f in findings(table)] == [
                (Fault.ROW_REMOVED, row, 2)
            ]
    with touched(name):  # a copy of a row, as if it had been written with it
        execute(
            f'INSERT INTO "{name}" ("{key}", {columns}) SELECT 107, {columns} FROM "{name}"'
            f' WHERE "{key}" = 101'
        )
        assert [(f.what, f.row) for f in findings(table)] == [(Fault.ROW_ADDED, 107)]
    with touched(name):  # a new row, written without the journal
        execute(f'INSERT INTO "{name}" ("{key}") VALUES (108)')
        assert [(f.what, f.row) for f in findings(table)] == [(Fault.ROW_WITHOUT_ACT, 108)]

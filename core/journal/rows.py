"""Rows as the journal sees them, straight from the tables: entries in order, in constant memory.

A row's digest is of its JSON text as it was first written: its present columns, with those that
changed since put back, change by change.
"""

from collections.abc import Iterator, Sequence

import psycopg
from django.db import connection

from core.journal.install import COLUMN, Journaled, journaled
from core.journal.wire import ROWS_IN_BLOCK, Entry

# What decides the text of a row; as in journal_changed().
_SESSION = """
SET LOCAL timezone = 'UTC'; SET LOCAL bytea_output = 'hex';
SET LOCAL intervalstyle = 'iso_8601'; SET LOCAL extra_float_digits = 1
"""


def ready() -> None:
    """Settle, to the transaction's end, what decides the text of a row."""
    with connection.cursor() as cursor:
        cursor.execute(_SESSION)


def present_columns(table: Journaled) -> list[str]:
    """The columns that digests cover now, in alphabetical order."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0"
            " AND NOT attisdropped",
            [table.name],
        )
        return sorted({name for (name,) in cursor.fetchall()} - set(table.derived))


def written_to(first_xid: int, end_xid: int) -> list[Journaled]:
    """The tables that have rows of those transactions, by name."""
    tables = journaled()
    probes = [
        f'SELECT {place} WHERE EXISTS (SELECT FROM "{table.name}"'
        f" WHERE {COLUMN} >= %(first)s AND {COLUMN} < %(end)s)"
        for place, table in enumerate(tables)
    ]
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(probes), {"first": first_xid, "end": end_xid})
        return [tables[place] for place in sorted(row[0] for row in cursor.fetchall())]


def image_sql(table: Journaled, alias: str = "t") -> str:
    """The row as it stands."""
    row = f"to_jsonb({alias})"
    return f"journal_image({row}, {_array(table.secret)})" if table.secret else row


def _array(names: Sequence[str]) -> str:
    quoted = ", ".join(f"'{name}'" for name in names)
    return f"ARRAY[{quoted}]::text[]"


def written_sql(table: Journaled, columns: Sequence[str]) -> str:
    """The row as it was written, in those columns; of what is put back, the earliest counts."""
    image = image_sql(table)
    if table.changing:
        image = (
            f"({image} || coalesce((SELECT jsonb_object_agg(e.key, e.value ORDER BY c.id DESC)"
            " FROM journal_change c, jsonb_each(c.before) e"
            f" WHERE c.relation = '{table.name}' AND c.row_id = t.\"{table.key}\"), '{{}}'))"
        )
    left_out = sorted(set(present_columns(table)) - set(columns) | set(table.derived))
    return f"({image} - {_array(left_out)})" if left_out else image


def blocks(
    table: Journaled, columns: Sequence[str], first_xid: int, end_xid: int | None
) -> Iterator[list[bytes]]:
    """Entries of the table's rows by those transactions, in order, a block's at a time.

    Needs a transaction, and `ready`.
    """
    image = written_sql(table, columns)
    upper = f"AND {COLUMN} < %s" if end_xid is not None else "AND %s::bigint IS NULL"
    query = (
        f'SELECT int8send({COLUMN}) || int8send("{table.key}")'
        f" || sha256(convert_to(({image})::text, 'UTF8'))"
        f' FROM "{table.name}" t WHERE {COLUMN} >= %s {upper} ORDER BY {COLUMN}, "{table.key}"'
    )
    connection.ensure_connection()
    with (
        connection.wrap_database_errors,
        psycopg.ServerCursor(connection.connection, f"journal_{table.name}") as cursor,
    ):
        cursor.execute(query, [first_xid, end_xid], binary=True)
        while rows := cursor.fetchmany(ROWS_IN_BLOCK):
            yield [row[0] for row in rows]


def entries(
    table: Journaled, columns: Sequence[str], first_xid: int, end_xid: int | None
) -> Iterator[Entry]:
    """The same, entry by entry."""
    for block in blocks(table, columns, first_xid, end_xid):
        for entry in block:
            yield Entry(
                int.from_bytes(entry[:8], "big", signed=True),
                int.from_bytes(entry[8:16], "big", signed=True),
                entry[16:],
            )

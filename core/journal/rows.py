"""Read rows as the entries of the journal, straight from the tables, in order and constant memory.

A row's digest is that of its JSON text as it was first written: the present columns, with the
changes since then undone one by one.
"""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain

import psycopg
from django.db import connection

from core.database.reading.asking import fetch_all, fetch_row
from core.journal.install import COLUMN, Journaled, journaled
from core.journal.wire import ROWS_IN_BLOCK, Entry

# The settings that decide the JSON text of a row; the same as in journal_changed().
_SETTINGS = {
    "timezone": "UTC",
    "bytea_output": "hex",
    "intervalstyle": "iso_8601",
    "extra_float_digits": "1",
}


@contextmanager
def ready() -> Iterator[None]:
    """Set the settings that decide a row's JSON text, and restore them afterwards."""
    before = _settings("current_setting(%s)", [[name] for name in _SETTINGS])
    _set(_SETTINGS)
    yield
    _set(dict(zip(_SETTINGS, before, strict=True)))


def _set(values: Mapping[str, str]) -> None:
    _settings("set_config(%s, %s, true)", list(values.items()))


def _settings(call: str, arguments: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Call a function of settings once for each list of arguments, in one query."""
    calls = ", ".join([call] * len(arguments))
    return tuple(fetch_row(f"SELECT {calls}", list(chain(*arguments))))


def present_columns(table: Journaled) -> list[str]:
    """Return the columns of the table that digests cover now, in alphabetical order."""
    present = fetch_all(
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0"
        " AND NOT attisdropped",
        [table.name],
    )
    return sorted({name for (name,) in present} - set(table.derived))


@dataclasses.dataclass(frozen=True, slots=True)
class Span:
    """Transactions of the journal: from `first` up to, but not including, `end`, and the `late`
    ones, which are earlier; without the `open` ones, which had not ended.
    """

    first: int
    end: int = 2**63 - 1
    late: tuple[int, ...] = ()
    open: tuple[int, ...] = ()

    def parts(self) -> list[tuple[str, list[int | list[int]]]]:
        """Return the conditions on `journal_xid`, late transactions first, with parameters."""
        main = f"{COLUMN} >= %s AND {COLUMN} < %s AND {COLUMN} <> ALL(%s::bigint[])"
        values: list[int | list[int]] = [self.first, self.end, list(self.open)]
        late: list[int | list[int]] = [sorted(set(self.late) - set(self.open))]
        return [(f"{COLUMN} = ANY(%s::bigint[])", late)] * bool(late[0]) + [(main, values)]


def written_to(span: Span) -> list[Journaled]:
    """Return the tables that have rows of those transactions, sorted by name."""
    tables = journaled()
    probes = [
        (f'SELECT {place} WHERE EXISTS (SELECT FROM "{table.name}" WHERE {condition})', values)
        for place, table in enumerate(tables)
        for condition, values in span.parts()
    ]
    places = fetch_all(
        " UNION ".join(probe for probe, _ in probes),
        [value for _, values in probes for value in values],
    )
    return [tables[place] for (place,) in sorted(places)]


def image_sql(table: Journaled) -> str:
    """Return the SQL of the row `t` as it is now, with secret columns as digests."""
    return f"journal_image(to_jsonb(t), {_array(table.secret)})" if table.secret else "to_jsonb(t)"


def _array(names: Sequence[str]) -> str:
    quoted = ", ".join(f"'{name}'" for name in names)
    return f"ARRAY[{quoted}]::text[]"


def written_sql(
    table: Journaled, columns: Sequence[str], present: Sequence[str] | None = None
) -> str:
    """Return the SQL of the row as it was first written, in those columns.

    If a column changed several times, the value before its earliest change counts. `present` are
    the present columns, if they were read just now.
    """
    image = image_sql(table)
    if table.changing:
        image = (
            f"({image} || coalesce((SELECT jsonb_object_agg(e.key, e.value ORDER BY c.id DESC)"
            " FROM journal_change c, jsonb_each(c.before) e"
            f" WHERE c.relation = '{table.name}' AND c.row_id = t.\"{table.key}\"), '{{}}'))"
        )
    there = present_columns(table) if present is None else present
    omitted = sorted(set(there) - set(columns) | set(table.derived))
    return f"({image} - {_array(omitted)})" if omitted else image


def blocks(
    table: Journaled,
    columns: Sequence[str],
    span: Span,
    present: Sequence[str] | None = None,
    *,
    is_small: bool = False,
) -> Iterator[list[bytes]]:
    """Yield the entries of the table's rows by those transactions, in order, one block at a time.

    An entry is 48 bytes (see `wire`). Needs a transaction, and `ready` before. `present` is that of
    `written_sql`. Entries of a span that `is_small` are read at once, which asks the server once.
    """
    image = written_sql(table, columns, present)
    for condition, values in span.parts():
        query = (
            f'SELECT int8send({COLUMN}) || int8send("{table.key}")'
            f" || sha256(convert_to(({image})::text, 'UTF8'))"
            f' FROM "{table.name}" t WHERE {condition} ORDER BY {COLUMN}, "{table.key}"'
        )
        with reading(f"journal_{table.name}", is_small=is_small) as cursor:
            cursor.execute(query, values, binary=True)
            while rows := cursor.fetchmany(ROWS_IN_BLOCK):
                yield [row[0] for row in rows]
                if len(rows) < ROWS_IN_BLOCK:
                    break  # saves a last query that would return nothing


@contextmanager
def reading(name: str, *, is_small: bool) -> Iterator[psycopg.Cursor | psycopg.ServerCursor]:
    """Open a cursor that fetches all rows at once, or else as many as are asked for."""
    connection.ensure_connection()
    within = connection.connection
    with (
        connection.wrap_database_errors,
        psycopg.Cursor(within) if is_small else psycopg.ServerCursor(within, name) as cursor,
    ):
        yield cursor


def keyed(
    table: Journaled, columns: Sequence[str], first: int, last: int, where: str = "true"
) -> Iterator[bytes]:
    """Yield the entries of the rows with a key from `first` to `last`, in the order of keys.

    `where` is a further condition on the row as t. Needs a transaction, and `ready` before.
    """
    image = written_sql(table, columns)
    query = (
        f'SELECT int8send({COLUMN}) || int8send(t."{table.key}"::bigint)'
        f" || sha256(convert_to(({image})::text, 'UTF8')) FROM \"{table.name}\" t"
        f' WHERE t."{table.key}" BETWEEN %s AND %s AND ({where}) ORDER BY t."{table.key}"'
    )
    with reading(f"keyed_{table.name}", is_small=False) as cursor:
        cursor.execute(query, [first, last], binary=True)
        while block := cursor.fetchmany(ROWS_IN_BLOCK):
            for (entry,) in block:
                yield entry


def entries(
    table: Journaled,
    columns: Sequence[str],
    span: Span,
    present: Sequence[str] | None = None,
    *,
    is_small: bool = False,
) -> Iterator[Entry]:
    """Yield the same entries one by one."""
    for block in blocks(table, columns, span, present, is_small=is_small):
        for entry in block:
            yield Entry(
                int.from_bytes(entry[:8], "big", signed=True),
                int.from_bytes(entry[8:16], "big", signed=True),
                entry[16:],
            )

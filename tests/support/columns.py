"""List the columns of any table, each with an SQL expression for another value."""

import psycopg

OTHER_JSON = "'[7]'"
# A value that differs from the one held, by the kind or the name of the column's type.
_OTHER = {
    "A": "'{{}}'",
    "B": "NOT coalesce({0}, false)",
    "D": "now() + interval '1 day'",
    "N": "coalesce({0}, 0) + 1",
    "S": "coalesce({0}, '') || 'x'",
    "T": "interval '1 day'",
    "date": "DATE '1999-12-31'",
    "bytea": r"'\x0102'",
    "inet": "'10.9.8.7'",
    "json": OTHER_JSON,
    "jsonb": OTHER_JSON,
    "uuid": "gen_random_uuid()",
}


def table_columns(session: psycopg.Connection, table: str) -> dict[str, str]:
    """Return each column of a table with SQL for a value that it does not hold."""
    rows = session.execute(
        "SELECT a.attname, t.typname, t.typcategory FROM pg_attribute a"
        " JOIN pg_type t ON t.oid = a.atttypid"
        " WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped",
        [table],
    ).fetchall()
    return {
        name: (_OTHER.get(type_) or _OTHER[category]).format(f'"{name}"')
        for name, type_, category in rows
    }

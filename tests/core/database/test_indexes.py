"""No index is written that another one of its table makes superfluous."""

import pytest
from django.db import connection, connections

from tests.support.databases import Database

_COVERED = """
SELECT t.relname || ': ' || a.relname || ' is the beginning of ' || b.relname
  FROM pg_index i
  JOIN pg_class t ON t.oid = i.indrelid
  JOIN pg_class a ON a.oid = i.indexrelid JOIN pg_am am ON am.oid = a.relam
  JOIN pg_index j ON j.indrelid = i.indrelid AND j.indexrelid <> i.indexrelid
  JOIN pg_class b ON b.oid = j.indexrelid JOIN pg_am bm ON bm.oid = b.relam
 WHERE t.relnamespace = 'public'::regnamespace AND NOT starts_with(t.relname, 'auth_')
   AND am.amname = 'btree' AND bm.amname = 'btree' AND NOT i.indisunique
   AND i.indpred IS NULL AND j.indpred IS NULL AND i.indexprs IS NULL AND j.indexprs IS NULL
   AND starts_with(j.indclass::text || ' ', i.indclass::text || ' ')
   AND starts_with(j.indkey::text || ' ', i.indkey::text || ' ')
 ORDER BY 1
"""


def _covered() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(_COVERED)
        return [line for (line,) in cursor.fetchall()]


@pytest.mark.django_db
def test_no_index_is_the_beginning_of_another() -> None:
    """A key that begins a constraint needs no index of its own: `db_index=False`."""
    assert _covered() == []


def test_one_that_is_would_be_found(own_database: Database) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("CREATE INDEX again ON statements_statement (premises_id)")
    assert _covered() == [
        "statements_statement: again is the beginning of statement_number",
    ]

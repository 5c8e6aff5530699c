"""Count what a reading reads, so that it can be compared at two lengths of history."""

from collections.abc import Callable, Collection
from typing import Any

from django.db import connection, connections, transaction

# Rows of tables that were read whole, and entries of indexes that were found.
_READ = """
SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(t.oid)
           + coalesce((SELECT sum(pg_stat_get_xact_tuples_returned(i.indexrelid))
                         FROM pg_index i WHERE i.indrelid = t.oid), 0)), 0)::bigint
  FROM pg_class t WHERE t.relname = ANY(%s) AND t.relkind = 'r'
"""


def rows_read(read: Callable[[], Any], tables: Collection[str]) -> int:
    """Return how many rows of some tables a reading looks at. Call it outside any transaction.

    Tables of tests are so small that reading them whole is cheap; so it is made dear.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        before = _read(cursor, tables)
        read()
        count = _read(cursor, tables) - before
        transaction.set_rollback(True)
        return count


def tell_planner() -> None:
    """Let the planner know what is in the tables now."""
    with connections["owner"].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _read(cursor: Any, tables: Collection[str]) -> int:
    cursor.execute(_READ, [list(tables)])
    return int(cursor.fetchone()[0])

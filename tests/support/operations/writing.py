"""Undo the writes of a request, and name the tables that it changed although it was refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

COUNTING = frozenset({"premises_quota", "staff_wrongtry", "django_session", "looks_look"})
"""Tables that count tries and looks, refused ones among them, or keep when somebody was seen."""
_TABLES = (
    "SELECT array_agg(relname)::text, array_agg(oid)::text FROM pg_class"
    " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
)
# Asked after each of thousands of requests, so that the tables are looked up once.
_WRITTEN = (
    "SELECT name, written FROM unnest('{names}'::text[], '{oids}'::oid[]) AS t(name, oid),"
    " LATERAL (SELECT pg_stat_get_xact_tuples_inserted(oid)"
    " + pg_stat_get_xact_tuples_updated(oid) + pg_stat_get_xact_tuples_deleted(oid)) AS w(written)"
    " WHERE written > 0"
)


class Undoing:
    """Requests one after the other in one transaction, each of which is undone.

    The counters of the server count what was undone as well, so that what one request wrote is
    the difference to the request before it.
    """

    def __init__(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_TABLES)
            names, oids = cursor.fetchone()
            cursor.execute("SAVEPOINT request")
        self._query = _WRITTEN.format(names=names, oids=oids)
        self._before = self._written()

    @contextmanager
    def request(self) -> Iterator["Wrote"]:
        """Run a request. `Wrote.tables` names, once it is over, what it left changed."""
        wrote = Wrote()
        yield wrote
        connection.needs_rollback = False
        after = self._written()
        suspect = [name for name in after if after[name] != self._before.get(name)]
        self._before = after
        if not suspect:
            return
        left = {name: _rows_of(name) for name in suspect if wrote.looks and name not in COUNTING}
        with connection.cursor() as cursor:
            cursor.execute("ROLLBACK TO SAVEPOINT request")
        connection.run_on_commit.clear()
        wrote.tables = tuple(name for name, rows in left.items() if rows != _rows_of(name))

    def keep(self) -> None:
        """Keep the writes up to now: they are the test's own."""
        with connection.cursor() as cursor:
            cursor.execute("SAVEPOINT request")
        self._before = self._written()

    def _written(self) -> dict[str, int]:
        with connection.cursor() as cursor:
            cursor.execute(self._query)
            return dict(cursor.fetchall())


class Wrote:
    """Set `looks` to have the tables compared: for a request that was refused."""

    looks = False
    tables: tuple[str, ...] = ()


def _rows_of(table: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT count(*), sum(hashtextextended(t::text, 0)) FROM "{table}" t')
        return cursor.fetchone()

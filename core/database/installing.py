"""Put functions, triggers and rights in place while sales go on, and touch only what differs.

What is put in place comes in pieces. After each `migrate` the database keeps, as a comment, a
digest of every piece: of its statements and of what the catalogue says of its objects. The next
`migrate` runs the pieces whose digest differs: the program changed, or somebody changed the
database.
"""

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from django.db import Error, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from core.database.locks import Lock

_T = TypeVar("_T")
# A statement that waits for a table makes every later sale wait behind it. So it waits briefly. It
# waits longer after many tries, for servers on which each sale takes so long.
_WAIT_MS, _LONGEST_WAIT_MS = 100, 400
_TRIES_OF_A_WAIT = 8
_PAUSE_S = 0.2
_WITHIN_S = 120.0
# Lock timeout, deadlock, and "tuple concurrently updated": the same again may succeed.
_AGAIN = frozenset({"55P03", "40P01", "XX000"})
_CREATED = re.compile(
    r"^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?(?:(FUNCTION|VIEW) (?:public\.)?(\w+)"
    r"|TRIGGER (\w+)\s[^;]*?\bON (\w+))",
    re.MULTILINE,
)
_EACH = re.compile(r"^SELECT core_each\('(\w+)'\);", re.MULTILINE)
_CATALOGUE = """
SELECT 'function ' || p.proname,
       string_agg(pg_get_functiondef(p.oid) || coalesce(p.proacl::text, ''), '' ORDER BY p.oid)
  FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
 GROUP BY p.proname
UNION ALL
SELECT 'view ' || c.relname, pg_get_viewdef(c.oid) FROM pg_class c
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'v'
UNION ALL
SELECT 'rights ' || c.relname, coalesce(c.relacl::text, '') || coalesce(
       (SELECT string_agg(a.attname || a.attacl::text, ',' ORDER BY a.attnum) FROM pg_attribute a
         WHERE a.attrelid = c.oid AND a.attacl IS NOT NULL), '')
  FROM pg_class c
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S')
UNION ALL
SELECT 'trigger ' || c.relname || ' ' || t.tgname, pg_get_triggerdef(t.oid) || t.tgenabled::text
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
 WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal
UNION ALL
SELECT 'column ' || c.relname || ' ' || a.attname, format_type(a.atttypid, a.atttypmod)
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0
UNION ALL
SELECT 'index ' || c.relname, pg_get_indexdef(c.oid) FROM pg_class c
 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('i', 'I')
"""
_RECORD = "SELECT obj_description('django_migrations'::regclass, 'pg_class')"

Catalogue = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Piece:
    """Statements that may be run again, and the objects that they put in place.

    An object is named as in the catalogue above: `trigger TABLE NAME`, `rights TABLE`. A piece with
    `always` runs whenever any other piece runs. The statements of `beforehand` run before all
    pieces while a program is serving, because the objects of those may need them at once.
    """

    name: str
    statements: tuple[str, ...]
    objects: tuple[str, ...]
    always: bool = False
    beforehand: tuple[str, ...] = ()


def objects_of(text: str) -> tuple[str, ...]:
    """Return the objects that an SQL file creates, with the procedures that it has made."""
    created = [
        f"{kind.lower()} {name}" if kind else f"trigger {table} {trigger}"
        for kind, name, trigger, table in _CREATED.findall(text)
    ]
    return (*created, *(f"function {function}_each" for function in _EACH.findall(text)))


def has_made(text: str) -> bool:
    """Return whether an SQL file has procedures made by a function of another file."""
    return bool(_EACH.search(text))


def catalogue(cursor: CursorWrapper) -> Catalogue:
    """Return the database's definition of every object of the schema."""
    cursor.execute(_CATALOGUE)
    return dict(cursor.fetchall())


def put_in_place(using: str, kind: str, pieces: Sequence[Piece]) -> list[str]:
    """Run the pieces that differ, and return their names.

    `kind` names these pieces among others of the same database. On a database without any, which
    nobody uses yet, they are run in one transaction; later each in one of its own, again and again
    until it gets its locks. Raises django.db.OperationalError when it got none for two minutes.
    """
    connection = connections[using]
    with connection.cursor() as cursor:
        recorded = _recorded(cursor)
        before = catalogue(cursor)
    digests = recorded.get(kind, {})
    differing = [p for p in pieces if digests.get(p.name) != _digest(p, before)]
    if not differing:
        return []
    due = [p for p in differing if not p.always] + [p for p in pieces if p.always]
    first = [replace(piece, statements=piece.beforehand) for piece in due if piece.beforehand]
    for together in [[piece] for piece in (*first, *due)] if digests else [due]:
        until_unlocked(partial(_run, connection, together))
    with connection.cursor() as cursor:
        after = catalogue(cursor)
        recorded[kind] = {piece.name: _digest(piece, after) for piece in pieces}
        text = json.dumps(recorded, sort_keys=True)
        until_unlocked(partial(_note, connection, text))
    return [piece.name for piece in due]


def _run(connection: BaseDatabaseWrapper, pieces: Sequence[Piece], wait_ms: int) -> None:
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {wait_ms}")
        cursor.execute("SELECT set_config('core.act', 'migrate', true)")
        for piece in pieces:
            for statement in piece.statements:
                cursor.execute(statement)


def _note(connection: BaseDatabaseWrapper, text: str, _wait_ms: int) -> None:
    with connection.cursor() as cursor:
        quoted = text.replace("'", "''")
        cursor.execute(f"COMMENT ON TABLE django_migrations IS '{quoted}'")


def _recorded(cursor: CursorWrapper) -> dict[str, dict[str, str]]:
    cursor.execute(_RECORD)
    row = cursor.fetchone()
    return json.loads(row[0]) if row and row[0] else {}


def _digest(piece: Piece, present: Catalogue) -> str:
    parts = [*piece.statements, "", *(present.get(name, "") for name in piece.objects)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def until_unlocked(act: Callable[[int], _T]) -> _T:
    """Do an act again while others hold the locks that it needs, for two minutes at most.

    It is given the milliseconds that it may wait for a lock.
    """
    deadline = time.monotonic() + _WITHIN_S
    tries = 0
    while True:
        wait_ms = min(_WAIT_MS << tries // _TRIES_OF_A_WAIT, _LONGEST_WAIT_MS)
        tries += 1
        try:
            return act(wait_ms)
        except Error as error:
            state = getattr(error.__cause__, "sqlstate", None)
            if state not in _AGAIN or time.monotonic() > deadline:
                raise
        time.sleep(_PAUSE_S)


@contextmanager
def alone(using: str) -> Iterator[None]:
    """Wait until no other `migrate` runs on this database, and keep others waiting.

    Meanwhile this session gives up a lock that it does not get at once: sales wait behind it.
    """
    with connections[using].cursor() as cursor:
        key = [int(Lock.MIGRATE), 0]
        while True:
            cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
            if cursor.fetchone()[0]:
                break
            time.sleep(_PAUSE_S)
        cursor.execute(f"SET lock_timeout = {_WAIT_MS}")
        try:
            yield
        finally:
            if connections[using].is_usable():
                cursor.execute("RESET lock_timeout")
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)

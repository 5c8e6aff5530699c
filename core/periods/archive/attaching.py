"""Load an archive again for an inquiry, into a schema of its own that nobody can write.

The tables have the names and columns of the archive. The server may be the one that sells or any
other; the rows never come back among the live ones.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import sql

from core.database.guards import app_role
from core.database.locks import Lock, session_hold
from core.database.reading.asking import fetch_all
from core.kernel.canonical import canonical_sha256
from core.kernel.errors import Conflict, NotFound
from core.periods.archive.files import ArchiveUnsound, files_check, lines_of
from core.periods.archive.tables import archive_tables
from core.periods.archive.writing import ArchiveDiffers
from core.periods.models import Archive

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_TYPE = re.compile(r"[a-z][a-z ]*(\(\d+(,\d+)?\))?[a-z ]*(\[\])?")
ACTS, CLAIMS, PAYMENTS = "journal_act", "payoffice_claim", "payoffice_payment"
_SOUGHT = (
    *("id", "uuid", "ticket_id", "voucher_id", "statement_id", "document_id", "claim_id"),
    *("reference", "journal_xid"),
)
"""Columns that an inquiry looks for; each has an index."""


class ArchiveAttached(Conflict):
    code = "archive_attached"
    message = "That month is attached already."


class ArchiveBusy(Conflict):
    code = "archive_busy"
    message = "Another process attaches or drops that month at this moment."


class ArchiveNotAttached(NotFound):
    code = "archive_not_attached"
    message = "That month is not attached."


def schema_of(month: str) -> str:
    """Return the schema of a month, YYYY-MM. Raises ArchiveNotAttached if it is no month."""
    if not re.fullmatch(r"\d{4}-\d\d", month):
        raise ArchiveNotAttached(month=month)
    return f"archive_{month.replace('-', '_')}"


def attach(folder: Path) -> str:
    """Verify the files of an archive and load them; return the schema. All of it, or nothing.

    Where the archive is on record, it must be that one. Raises ArchiveUnsound, ArchiveDiffers,
    ArchiveAttached, ArchiveBusy.
    """
    manifest = files_check(folder)
    month = str(manifest["first_day"])[:7]
    recorded = Archive.objects.filter(period__number=manifest["number"]).first()
    if recorded and recorded.sha256 != canonical_sha256(manifest).hex():
        raise ArchiveDiffers(folder=str(folder))
    schema, owner = schema_of(month), connections["owner"]
    with _alone(month), transaction.atomic(using="owner"), owner.cursor() as cursor:
        if _is_there(schema, owner):
            raise ArchiveAttached(month=month)
        cursor.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(schema)))
        cursor.execute("CREATE TEMPORARY TABLE archive_line (line jsonb) ON COMMIT DROP")
        for entry in manifest["tables"]:
            _load(cursor, schema, entry, folder)
        role = app_role()
        if role:
            for right in ("USAGE ON SCHEMA {}", "SELECT ON ALL TABLES IN SCHEMA {}"):
                grant = sql.SQL("GRANT " + right + " TO " + role)
                cursor.execute(grant.format(sql.Identifier(schema)))
    return schema


@contextmanager
def _alone(month: str) -> Iterator[None]:
    """Keep others from attaching or dropping the month. Raises ArchiveBusy if one does just now."""
    with session_hold(Lock.ATTACHING, int(month.replace("-", ""))) as alone:
        if not alone:
            raise ArchiveBusy(month=month)
        yield


def _is_there(schema: str, database: BaseDatabaseWrapper) -> bool:
    with database.cursor() as cursor:
        cursor.execute("SELECT to_regnamespace(%s) IS NOT NULL", [schema])
        return bool(cursor.fetchone()[0])


def _load(cursor: Any, schema: str, entry: dict[str, Any], folder: Path) -> None:
    """Make one table and fill it from its file. Raises ArchiveUnsound."""
    columns = [(column["name"], column["type"]) for column in entry["columns"]]
    if not _NAME.fullmatch(entry["table"]) or not all(
        _NAME.fullmatch(name) and _TYPE.fullmatch(kind) for name, kind in columns
    ):
        raise ArchiveUnsound(file=entry["file"], why="a name or type that no table has")
    table = sql.Identifier(schema, entry["table"])
    shape = [sql.Identifier(name) + sql.SQL(f" {kind}") for name, kind in columns]
    cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(table, sql.SQL(", ").join(shape)))
    cursor.execute("TRUNCATE archive_line")
    with cursor.copy("COPY archive_line (line) FROM STDIN") as copy:
        for line in lines_of(folder / entry["file"]):
            copy.write_row((line.decode(),))
    fill = "INSERT INTO {0} SELECT (jsonb_populate_record(NULL::{0}, line)).* FROM archive_line"
    cursor.execute(sql.SQL(fill).format(table))
    if cursor.rowcount != entry["rows"]:
        raise ArchiveUnsound(file=entry["file"], why="rows")
    for name, _ in columns:
        if name in _SOUGHT:
            index = sql.SQL("CREATE INDEX ON {} ({})")
            cursor.execute(index.format(table, sql.Identifier(name)))
    for moment, level in (("INSERT OR UPDATE OR DELETE", "ROW"), ("TRUNCATE", "STATEMENT")):
        guard = (
            f"CREATE TRIGGER guard_{level.lower()} BEFORE {moment} ON {{}}"
            f" FOR EACH {level} EXECUTE FUNCTION public.guard_refuse()"
        )
        cursor.execute(sql.SQL(guard).format(table))


def detach(month: str) -> None:
    """Drop the schema of an attached month. Raises ArchiveNotAttached, ArchiveBusy."""
    schema, owner = schema_of(month), connections["owner"]
    with _alone(month), owner.cursor() as cursor:
        if not _is_there(schema, owner):
            raise ArchiveNotAttached(month=month)
        cursor.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(schema)))


def rows_about(month: str, uuid: str) -> Iterator[tuple[str, str]]:
    """Yield table and JSON of the row with that UUID, of the rows that name it, and of their acts.

    Raises ArchiveNotAttached.
    """
    schema = schema_of(month)
    if not _is_there(schema, connection):
        raise ArchiveNotAttached(month=month)
    tables = _columns(schema)
    acts: set[int] = set()
    for table, line in _about(schema, tables, uuid):
        yield table, line
        acts.add(json.loads(line).get("journal_xid"))
    for act in sorted(acts) if ACTS in tables else ():
        for (line,) in _select(schema, ACTS, "journal_xid", act, "to_jsonb(t)::text"):
            yield ACTS, line


def _about(schema: str, tables: dict[str, list[str]], uuid: str) -> Iterator[tuple[str, str]]:
    for table, columns in tables.items():
        for key in ("uuid", "reference"):
            if key in columns:
                for ident, line in _select(schema, table, key, uuid, "t.id, to_jsonb(t)::text"):
                    yield table, line
                    if key == "uuid":
                        yield from _following(schema, tables, table, ident)


def _following(
    schema: str, tables: dict[str, list[str]], table: str, ident: int
) -> Iterator[tuple[str, str]]:
    """Yield the claims on a row, the rows of its app that name it as their ticket, voucher or
    statement, and the rows that follow from these.
    """
    yield from _claims(schema, tables, table, ident)
    app = table.partition("_")[0]
    columns_of = ("ticket_id", "voucher_id", "statement_id")
    names = [name for name in columns_of if table.endswith(name[:-3])]
    for other, columns in tables.items():
        for name in names:
            if name in columns and other.partition("_")[0] == app:
                for line in _lines(schema, other, name, ident):
                    yield other, line
                    if "id" in columns:
                        yield from _following(schema, tables, other, json.loads(line)["id"])


def _claims(
    schema: str, tables: dict[str, list[str]], table: str, ident: int
) -> Iterator[tuple[str, str]]:
    """Yield the claims on a document, and their payments."""
    games = {each.claimed_as for each in archive_tables() if each.name == table} - {""}
    claims = _lines(schema, CLAIMS, "document_id", ident) if games and CLAIMS in tables else []
    for line in claims:
        claim = json.loads(line)
        if claim["game"] in games:
            yield CLAIMS, line
            if PAYMENTS in tables:
                for payment in _lines(schema, PAYMENTS, "claim_id", claim["id"]):
                    yield PAYMENTS, payment


def _lines(schema: str, table: str, key: str, value: int) -> list[str]:
    rows = _select(schema, table, key, value, "t.journal_xid, to_jsonb(t)::text")
    return [line for _, line in rows]


def _columns(schema: str) -> dict[str, list[str]]:
    return dict(
        fetch_all(
            "SELECT table_name, array_agg(column_name::text) FROM information_schema.columns"
            " WHERE table_schema = %s GROUP BY 1 ORDER BY 1",
            [schema],
        )
    )


def _select(schema: str, table: str, key: str, value: str | int, what: str) -> list[Any]:
    query = sql.SQL("SELECT " + what + " FROM {} t WHERE {} = %s ORDER BY 1")
    return fetch_all(query.format(sql.Identifier(schema, table), sql.Identifier("t", key)), [value])

"""Write the rows of a closed period to files, and read them again (docs/proofs/periods.md).

A table is a file of JSON, one row a line, compressed by gzip. `manifest.json` names every file with
its digests. Rows are read by a cursor of the server in one snapshot and written as they come, so
memory does not grow with their number. The same rows give the same bytes.
"""

import dataclasses
import gzip
import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.db import connection
from django.utils import translation

from core.database.reading.asking import fetch_all, fetch_value
from core.database.reading.snapshot import snapshot
from core.journal import rows
from core.journal.install import COLUMN, Journaled, journaled
from core.kernel.canonical import Json, canonical_bytes, canonical_sha256
from core.kernel.days import day_bounds
from core.kernel.errors import InvariantBroken
from core.periods.archive.entries import BLOCKS, block_lines
from core.periods.archive.tables import ArchiveTable, archive_tables, retiring_tables
from core.periods.figures import BEGINNING
from core.periods.models import Archive, ClosedPeriod
from core.periods.services import recount
from core.statements.balances import transfers_within

FORMAT = "trot-archive-1"
MANIFEST = "manifest.json"
_ROWS_AT_ONCE = 1_024
_BYTES_AT_ONCE = 1 << 20
_COLUMNS = """
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
 WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attname
"""


class ArchiveUnsound(InvariantBroken):
    """`data["file"]` is the file; `data["why"]` says what is wrong with it."""

    code = "archive_unsound"
    message = "A file of the archive is not as it was written."


class PeriodNotAsPublished(InvariantBroken):
    """`data["differ"]` has the names of the figures that differ."""

    code = "period_not_as_published"
    message = "The month is not as it was published; nothing is archived of it."


@dataclasses.dataclass(slots=True)
class _Digests:
    """Count and digest what is written to one file: its lines, and its bytes as compressed."""

    rows: int = 0
    size: int = 0
    lines: Any = dataclasses.field(default_factory=hashlib.sha256)
    file: Any = dataclasses.field(default_factory=hashlib.sha256)
    entries: Any = dataclasses.field(default_factory=hashlib.sha256)

    def line(self, line: bytes) -> None:
        self.rows += 1
        self.size += len(line)
        self.lines.update(line)

    def figures(self) -> dict[str, Json]:
        return {
            "rows": self.rows,
            "bytes": self.size,
            "sha256": self.lines.hexdigest(),
            "file_sha256": self.file.hexdigest(),
        }


class _Digested(io.RawIOBase):
    """A file whose bytes are digested as they are written."""

    def __init__(self, path: Path, digests: _Digests) -> None:
        self._file = path.open("xb")
        self._digests = digests

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        self._digests.file.update(content)
        return self._file.write(content)

    def close(self) -> None:
        if not self._file.closed:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
        super().close()


@contextmanager
def _compressed(path: Path, digests: _Digests) -> Iterator[gzip.GzipFile]:
    """Open a new file to be compressed, without a name or time in it; it is on the disk after."""
    file = _Digested(path, digests)
    try:
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield packed
    finally:
        file.close()


# --- Writing --------------------------------------------------------------------------------------


def write_files(period: ClosedPeriod, before: Archive | None, folder: Path) -> dict[str, Json]:
    """Write the files of a period into an empty folder; return the manifest, which comes last.

    Raises PeriodNotAsPublished, OSError. The rows are those of one snapshot.
    """
    for path in folder.iterdir():  # of a reading that failed half-way
        path.unlink()
    with snapshot():
        differ = recount(period)
        if differ:
            raise PeriodNotAsPublished(first_day=period.first_day.isoformat(), differ=differ)
        with rows.ready():
            tables = _tables(period, before, folder)
    manifest: dict[str, Json] = {
        "format": FORMAT,
        "number": period.number,
        "first_day": period.first_day.isoformat(),
        "last_day": period.last_day.isoformat(),
        "closing_sha256": canonical_sha256(period.document).hex(),
        "tables": tables,
    }
    digests = _Digests()
    file = _Digested(folder / MANIFEST, digests)
    try:
        file.write(canonical_bytes(manifest) + b"\n")
    finally:
        file.close()
    return manifest


def _tables(period: ClosedPeriod, before: Archive | None, folder: Path) -> list[Json]:
    span = span_of(period)
    covered = {table.name: table for table in journaled()}
    ranges = row_ranges(span, before)
    return [
        _table(table, covered.get(table.name), span, ranges.get(table.name), folder)
        for table in archive_tables()
    ]


def row_ranges(span: Mapping[str, Any], before: Archive | None) -> dict[str, range]:
    """Return, for each table whose rows retire, the range of ids of which an archive has all rows.

    `span` are the parameters of an `ArchiveTable`, `before` is the archive of the month before.
    """
    ranges: dict[str, range] = {}
    for table in retiring_tables():
        row_before = _row_before(before, table.name)
        values = {**span, "row_before": row_before}
        values |= {f"last_{name}": ranges[name].stop - 1 for name in table.after}
        if table.last:
            values["later_xid"] = _later_xid(ranges)
        ranges[table.name] = range(row_before + 1, max(last_row(table, values), row_before) + 1)
    return ranges


def _later_xid(ranges: Mapping[str, range]) -> int:
    """Return the first transaction that wrote a row after one of those ranges; a number above all
    transactions if no table has such a row.
    """
    keys = {table.name: table.key for table in retiring_tables() if not table.acts_stay}
    xids = []
    for name, ids in ranges.items():
        if name not in keys:
            continue
        after = f'SELECT min({COLUMN}) FROM "{name}" WHERE {keys[name]} >= %s'
        xids.append(fetch_value(after, [ids.stop]))
    return min((xid for xid in xids if xid is not None), default=2**63 - 1)


def span_of(period: ClosedPeriod) -> dict[str, Any]:
    """Return the parameters of an `ArchiveTable` for a period."""
    since = day_bounds(period.first_day)[0] if period.number > 1 else BEGINNING
    after, up_to = transfers_within(since, period.ends_at)
    return {
        "number": period.number,
        "first": period.first_day,
        "last": period.last_day,
        "since": since,
        "until": period.ends_at,
        "after": after,
        "up_to": up_to,
        "after_batch": batch_before(period),
        "last_batch": period.last_batch,
    }


def batch_before(period: ClosedPeriod) -> int:
    """Return the last batch of the journal that was sealed before a period; 0 before all."""
    before = ClosedPeriod.objects.filter(number=period.number - 1).first()
    return before.last_batch if before else 0


def _row_before(before: Archive | None, table: str) -> int:
    """Return the last row that an earlier archive has of a table that retires; 0 before all."""
    entry = before.table(table) if before else None
    return int(entry["retires"]["last_row"]) if entry and entry["retires"] else 0


def _table(
    table: ArchiveTable,
    covered: Journaled | None,
    span: Mapping[str, Any],
    retired: range | None,
    folder: Path,
) -> Json:
    """Write one table; return what the manifest says of it."""
    name, digests, retires = f"{table.name}.jsonl.gz", _Digests(), None
    where, values, leaving = table.where, dict(span), 0
    if retired is not None:
        range_of = f"t.{table.key} >= %(first_row)s AND t.{table.key} <= %(last_row)s"
        where = f"({range_of}) OR ({table.where or 'false'})"
        values |= {"first_row": retired.start, "last_row": retired.stop - 1}
    with _compressed(folder / name, digests) as packed:
        for xid, row, line in row_lines(table, covered, where, values):
            content = line.encode()
            digests.line(content + b"\n")
            packed.write(content + b"\n")
            if retired is not None and row in retired:
                leaving += 1
                digests.entries.update(entry_bytes(xid, row, content))
    if retired is not None:
        retires = {
            "first_row": retired.start,
            "last_row": retired.stop - 1,
            "rows": leaving,
            "entries_sha256": digests.entries.hexdigest(),
        }
    return {
        "table": table.name,
        "file": name,
        **digests.figures(),
        "retires": retires,
        "columns": _described(table),
    }


def entry_bytes(xid: int, row: int, line: bytes) -> bytes:
    """Return the entry of a row as the journal seals it (docs/proofs/journal.md)."""
    return xid.to_bytes(8, "big") + row.to_bytes(8, "big") + hashlib.sha256(line).digest()


def last_row(table: ArchiveTable, values: Mapping[str, Any]) -> int:
    """Return the last row before the first one that stays; 0 if there is none."""
    key, name = table.key, table.name
    first = f'SELECT t.{key} FROM "{name}" t WHERE t.{key} > %(row_before)s AND {table.stays}'
    return int(
        fetch_value(
            f'SELECT coalesce(max(r.{key}), 0) FROM "{name}" r WHERE r.{key} > %(row_before)s'
            f" AND r.{key} < coalesce(({first} ORDER BY t.{key} LIMIT 1), {2**63 - 1})",
            values,
        )
    )


def row_lines(
    table: ArchiveTable, covered: Journaled | None, where: str, values: Mapping[str, Any]
) -> Iterator[tuple[int, int, str]]:
    """Yield transaction, key and JSON text of each row, by key. Needs `rows.ready`.

    A row that the journal does not cover, which is of the journal itself, has transaction 0.
    """
    if table.name == BLOCKS:
        yield from block_lines(where, values)
        return
    xid = f"t.{COLUMN}" if covered else "0::bigint"
    if covered is None:
        image = "to_jsonb(t)"
    elif table.columns:
        pairs = ", ".join(f"'{column}', t.\"{column}\"" for column in table.columns)
        image = f"jsonb_build_object({pairs})"
    elif table.retires:
        image = rows.written_sql(covered, rows.present_columns(covered))
    else:
        image = rows.image_sql(covered)
    query = (
        f'SELECT {xid}, t.{table.key}, ({image})::text FROM "{table.name}" t'
        f" WHERE {where} ORDER BY t.{table.key}"
    )
    connection.ensure_connection()
    with (
        connection.wrap_database_errors,
        psycopg.ServerCursor(connection.connection, f"archive_{table.name}") as cursor,
    ):
        cursor.execute(query, values)
        while next_rows := cursor.fetchmany(_ROWS_AT_ONCE):
            yield from next_rows


def _described(table: ArchiveTable) -> list[Json]:
    """Return name, type and meaning of each column in the file, by name."""
    (model,) = (m for m in apps.get_models() if m._meta.db_table == table.name)
    fields = {field.column: field for field in model._meta.concrete_fields}
    types = dict(fetch_all(_COLUMNS, [table.name]))
    with translation.override("en"):
        says = {name: str(field.verbose_name) for name, field in fields.items()}
    says[COLUMN] = "transaction that wrote the row"
    return [
        {"name": name, "type": kind, "says": says.get(name, "")}
        for name, kind in types.items()
        if not table.columns or name in table.columns
    ]


# --- Reading again --------------------------------------------------------------------------------


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of an archive. Raises ArchiveUnsound."""
    try:
        content = (folder / MANIFEST).read_bytes()
        manifest = json.loads(content)
    except (OSError, ValueError) as error:
        raise ArchiveUnsound(file=MANIFEST, why=type(error).__name__) from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ArchiveUnsound(file=MANIFEST, why="format")
    if content != canonical_bytes(manifest) + b"\n":
        raise ArchiveUnsound(file=MANIFEST, why="not canonical JSON")
    if not _is_whole(manifest):
        raise ArchiveUnsound(file=MANIFEST, why="a field is missing, or is of another type")
    return manifest


def _is_whole(manifest: dict[str, Any]) -> bool:
    """Return whether a manifest has the fields that are read here, of their types."""
    tables = manifest.get("tables")
    return (
        isinstance(manifest.get("number"), int)
        and isinstance(manifest.get("first_day"), str)
        and isinstance(tables, list)
        and all(isinstance(table, dict) and _names_file(table) for table in tables)
    )


def _names_file(table: dict[str, Any]) -> bool:
    columns = table.get("columns")
    return (
        all(isinstance(table.get(name), str) for name in ("table", "file"))
        and isinstance(columns, list)
        and all(
            isinstance(column, dict)
            and all(isinstance(column.get(name), str) for name in ("name", "type"))
            for column in columns
        )
    )


def files_check(folder: Path) -> dict[str, Any]:
    """Read every file of an archive to its end; return the manifest. Raises ArchiveUnsound."""
    manifest = read_manifest(folder)
    named = {MANIFEST, *(entry["file"] for entry in manifest["tables"])}
    for stray in sorted({path.name for path in folder.iterdir()} ^ named):
        raise ArchiveUnsound(file=stray, why="missing, or not of the archive")
    for entry in manifest["tables"]:
        digests = _Digests()
        for line in lines_of(folder / entry["file"]):
            digests.line(line)
        with (folder / entry["file"]).open("rb") as file:
            while content := file.read(_BYTES_AT_ONCE):
                digests.file.update(content)
        figures = digests.figures()
        for name, value in figures.items():
            if entry.get(name) != value:
                raise ArchiveUnsound(file=entry["file"], why=name)
    return manifest


def lines_of(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file of an archive. Raises ArchiveUnsound."""
    try:
        with gzip.open(path, "rb") as file:
            yield from file
    except (OSError, EOFError, ValueError) as error:  # a bad checksum is an OSError
        raise ArchiveUnsound(file=path.name, why=type(error).__name__) from error

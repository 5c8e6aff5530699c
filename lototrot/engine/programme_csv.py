"""Read the official programme from CSV, one line per runner, as spreadsheets save it (14.III.5.2).

The columns of the meeting, the racecourse and the race are repeated on every line of theirs. Where
they disagree, what most lines say is taken as meant, so that one mistyped line is the one reported.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lototrot.engine import programme_fields as known
from lototrot.engine.programme import (
    MAX_BYTES,
    Faults,
    Programme,
    RaceRecord,
    Record,
    assemble,
    decode,
    excerpt,
)


def _columns(prefix: str, fields: Sequence[known.Field]) -> dict[str, known.Field]:
    return {f"{prefix}_{field.name}": field for field in fields}


MEETING = _columns("meeting", known.MEETING)
RACECOURSE = _columns("racecourse", known.RACECOURSE)
# A race's racecourse is the `racecourse_code` of its lines.
RACE = _columns("race", [field for field in known.RACE if field.name != "racecourse"])
RUNNER = _columns("runner", known.RUNNER)
COLUMNS = {**MEETING, **RACECOURSE, **RACE, **RUNNER}


_INTEGER = re.compile("-?[0-9]+")


@dataclass(frozen=True, slots=True)
class _Row:
    """`cells` by column: text without spaces around it, or a number where one is wanted."""

    line: int
    cells: dict[str, str | int]


@dataclass(frozen=True, slots=True)
class _Table:
    """`positions`: the file's columns in their order, from 1."""

    positions: dict[str, int]
    rows: list[_Row]

    def place(self, line: int, column: str) -> str:
        return f"line {line}, column {self.positions[column]} ({column})"


def parse_csv(data: bytes, *, max_bytes: int = MAX_BYTES) -> Programme:
    """Read a programme; raises `ProgrammeInvalid` with every fault, its line and its column.

    Cells are parted by commas, or by semicolons if the first line is; lines end in any of the
    usual ways; a cell that holds such characters is quoted. Empty lines are passed over.
    """
    faults = Faults()
    table = _table(decode(data, max_bytes, faults), faults)
    meeting = Record(f"line {table.rows[0].line}")
    _read_shared(meeting, table, table.rows, MEETING, faults)
    racecourses = []
    for rows in _groups(table.rows, "racecourse_code"):
        racecourses.append(Record(f"line {rows[0].line}"))
        _read_shared(racecourses[-1], table, rows, RACECOURSE, faults)
    codes = {record.values.get("code") for record in racecourses}
    races = []
    for rows in _groups(table.rows, "racecourse_code", "race_number"):
        races.append(_race(table, rows, faults))
        code = rows[0].cells["racecourse_code"]
        if code in codes:
            races[-1].values["racecourse"] = code
    return assemble(meeting, racecourses, races, faults)


def _race(table: _Table, rows: Sequence[_Row], faults: Faults) -> RaceRecord:
    race = RaceRecord(f"line {rows[0].line}", runners=[])
    _read_shared(race, table, rows, RACE, faults)
    race.runners = [Record(f"line {row.line}") for row in rows]
    for runner, row in zip(race.runners, rows, strict=True):
        _read(runner, table, row.cells, dict.fromkeys(RUNNER, row.line), RUNNER, faults)
    return race


def _read_shared(
    record: Record,
    table: _Table,
    rows: Sequence[_Row],
    columns: Mapping[str, known.Field],
    faults: Faults,
) -> None:
    """Read the columns that are the same on all `rows`; report the lines that differ."""
    cells: dict[str, str | int] = {}
    lines: dict[str, int] = {}
    for column in columns:
        if column not in table.positions:
            continue
        [(meant, _)] = Counter(row.cells[column] for row in rows).most_common(1)
        cells[column] = meant
        lines[column] = next(row.line for row in rows if row.cells[column] == meant)
        for row in rows:
            if row.cells[column] != meant:
                other = f"line {lines[column]}"
                faults.add(table.place(row.line, column), "inconsistent", other=other)
    _read(record, table, cells, lines, columns, faults)


def _read(
    record: Record,
    table: _Table,
    cells: Mapping[str, str | int],
    lines: Mapping[str, int],
    columns: Mapping[str, known.Field],
    faults: Faults,
) -> None:
    names = {field.name: column for column, field in columns.items() if column in table.positions}
    known.read_fields(
        record,
        [field for field in columns.values() if field.name in names],
        {name: cells[column] for name, column in names.items()},
        lambda name: table.place(lines[names[name]], names[name]),
        faults,
    )


def _groups(rows: Sequence[_Row], *columns: str) -> list[list[_Row]]:
    groups: dict[tuple[str | int, ...], list[_Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row.cells[column] for column in columns), []).append(row)
    return list(groups.values())


def _table(text: str, faults: Faults) -> _Table:
    first_line = re.split(r"[\r\n]", text, maxsplit=1)[0]
    delimiter = ";" if ";" in first_line and "," not in first_line else ","
    lines = _lines(text, delimiter, faults)
    _, header = next(lines, (1, []))
    positions = _header([cell.strip() for cell in header], faults)
    rows = []
    for line, cells in lines:
        if len(cells) == len(positions):
            rows.append(_row(line, dict(zip(positions, cells, strict=True))))
        else:
            faults.add(f"line {line}", "row_length", cells=len(cells), columns=len(positions))
    if not rows:
        faults.stop("line 2", "no_rows")
    return _Table(positions, rows)


def _lines(text: str, delimiter: str, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not empty, with their numbers; report a faulty line instead."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            faults.add(f"line {line}", "csv_syntax", why=error)
            continue
        if any(cell.strip() for cell in cells):
            yield line, cells


def _header(names: Sequence[str], faults: Faults) -> dict[str, int]:
    """Return the position of each column. Report only faults of this line.

    With a faulty first line the others mean nothing.
    """
    positions: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name in positions:
            code = "repeated_column"
        elif name in COLUMNS:
            code = ""
        else:
            code = "unknown_column"
        if code:
            faults.add(f"line 1, column {position}", code, name=excerpt(name) or "without a name")
        positions[name] = position
    for name, field in COLUMNS.items():
        if field.required and name not in positions:
            faults.add("line 1", "missing_column", name=name)
    if faults.found:
        faults.refuse()
    return positions


def _row(line: int, texts: Mapping[str, str]) -> _Row:
    cells: dict[str, str | int] = {}
    for column, raw in texts.items():
        cells[column] = text = raw.strip(known.SPACES)
        if COLUMNS[column].kind is int and _INTEGER.fullmatch(text):
            cells[column] = int(text[: known.LONGEST_INTEGER + 1])
    return _Row(line, cells)

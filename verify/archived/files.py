"""Read the files of an archive, each compared with its manifest (docs/proofs/periods.md).

And compare a journal with the servers on which the log says that it went on. Used by archive.py
and journal.py.
"""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, ClassVar

from documents import ARCHIVE
from entry import canonical, parsed, same
from forms import need, shaped

MANIFEST = "manifest.json"
LINEAGE_BITS = 44
TWO = "two lineages from one past"
Row = dict[str, Any]


class Archive:
    """The files of a period, each compared with the manifest when it has been read to its end.

    `reading` is the place of the row that was read last, of any archive.
    """

    reading: ClassVar[str] = ""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        path = self.folder / MANIFEST
        need(path.is_file(), MANIFEST, "missing")
        content = path.read_bytes()
        self.manifest = parsed(content.decode(errors="surrogateescape"), MANIFEST)
        shaped(self.manifest, ARCHIVE, MANIFEST)
        need(content == canonical(self.manifest) + b"\n", MANIFEST, "not canonical JSON")
        tables = self.manifest["tables"]
        self.tables = {table["table"]: table for table in tables}
        named = {MANIFEST, *(table["file"] for table in tables)}
        once = len(self.tables) == len(tables) == len(named) - 1
        need(once, MANIFEST, "a table or a file is named twice")
        for stray in sorted({each.name for each in self.folder.iterdir()} ^ named):
            need(False, stray, "missing, or not of the archive")
        for name in sorted(named):
            need((self.folder / name).is_file(), name, "not a file")

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the rows of a table, as `lines` does."""
        for row, _ in self.lines(name):
            yield row

    def lines(self, name: str) -> Iterator[tuple[Row, bytes]]:
        """Yield the rows of a table, and their texts; refuse the file at its end unless it is that
        of the manifest.
        """
        table = self.tables[name]
        file, path = table["file"], self.folder / table["file"]
        with path.open("rb") as packed:
            whole = hashlib.file_digest(packed, "sha256").hexdigest()
        need(whole == table["file_sha256"], file, "not the bytes of the manifest")
        lines, entries, count, size = hashlib.sha256(), hashlib.sha256(), 0, 0
        left, leaving = 0, self.leaving(name)
        try:
            with gzip.open(path, "rb") as content:
                while line := content.readline(table["bytes"] - size + 1):
                    count, size = count + 1, size + len(line)
                    need(size <= table["bytes"], f"{file}.bytes", "more than the manifest says")
                    lines.update(line)
                    Archive.reading = f"{path}, line {count}"
                    row = json.loads(line)
                    need(type(row) is dict, file, f"line {count} is not an object")
                    if key_of(row) in leaving:
                        left += 1
                        entries.update(sealed(row, line))
                    yield row, line
        except (OSError, EOFError, ValueError, RecursionError, zlib.error) as error:
            need(False, file, f"cannot be read ({error})")
        figures = {"rows": count, "bytes": size, "sha256": lines.hexdigest()}
        same(table, figures, file)
        if table["retires"]:
            figures = {"rows": left, "entries_sha256": entries.hexdigest()}
            same(table["retires"], figures, file)

    def leaving(self, name: str) -> range:
        """Return the ids of a table's rows of which the archive has all; some of them may leave."""
        retires = self.tables[name]["retires"]
        return range(retires["first_row"], retires["last_row"] + 1) if retires else range(0)


def in_succession(closings: list[Row]) -> dict[int, Row]:
    """Return the closings of months by number; refuse one that does not follow on the one before.

    Of a month that was passed over nobody would miss the transfers.
    """
    after = ""
    for number, each in enumerate(closings, start=1):
        same(each, {"number": number}, f"periods.closed {each['first_day'][:7]}")
        first, last = date.fromisoformat(each["first_day"]), date.fromisoformat(each["last_day"])
        next_month = (first.replace(day=1) + timedelta(days=31)).replace(day=1)
        is_month = first.day == 1 and last == next_month - timedelta(days=1)
        place = f"periods.closed {each['first_day']}"
        need(is_month and after in ("", each["first_day"]), place, "not the next whole month")
        after = next_month.isoformat()
    return {each["number"]: each for each in closings}


def key_of(row: Row) -> Any:
    """Return the id of a row; that of a print is its ticket's, that of an act its transaction."""
    return next((row[key] for key in ("id", "ticket_id", "journal_xid") if key in row), None)


def sealed(row: Row, line: bytes) -> bytes:
    """Return the entry of a row in the journal: transaction, id, digest of its text."""
    digest = hashlib.sha256(line.removesuffix(b"\n")).digest()
    return int(row["journal_xid"]).to_bytes(8, "big") + key_of(row).to_bytes(8, "big") + digest


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def lineage_of(end_xid: int) -> int:
    """Return the lineage of a batch's last transaction, by the number at which the batch ends."""
    return max(end_xid - 1, 0) >> LINEAGE_BITS


def one_past(
    digests: dict[int, str],
    lineages: dict[int, int],
    announced: list[dict[str, Any]],
    published: int,
) -> None:
    """Refuse a journal that went on elsewhere than its lineages were published to go on.

    `digests` and `lineages` are those of the journal's batches, `announced` what the log says.
    Each lineage begins after the batch that it names: that one is of an earlier lineage, and the
    next one is of this. `published` is the last batch that the log has.
    """
    for number, entry in enumerate(announced, start=1):
        same(entry, {"lineage": number}, f"lineage {number}")
        batch, place = entry["batch"], f"lineage {number}, after batch {entry['batch']}"
        need(batch in digests, place, "published, and that batch is not in the journal")
        same(entry, {"digest": digests[batch]}, place)
        before, after = lineages[batch], lineages.get(batch + 1, number)
        need(before < number <= after, place, f"{TWO}: batch {batch + 1} is of lineage {after}")
    for batch, lineage in lineages.items():
        in_log = sum(each["batch"] < batch for each in announced)
        why = TWO if batch <= published else "the log is older than the journal"
        need(
            lineage == in_log,
            f"batch {batch}",
            f"{why}: it is of lineage {lineage}, and the log is in lineage {in_log}",
        )

"""Read the files of an archive, each compared with its manifest (docs/proofs.md, "Archives")."""

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from documents import ARCHIVE, RETIREMENT
from entry import canonical, parsed, same
from forms import need, shaped

MANIFEST = "manifest.json"
Row = dict[str, Any]


class Archive:
    """The files of a period, each compared with the manifest when it has been read to its end."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        path = self.folder / MANIFEST
        need(path.is_file(), MANIFEST, "missing")
        content = path.read_bytes()
        self.manifest = parsed(content.decode(), MANIFEST)
        shaped(self.manifest, ARCHIVE, MANIFEST)
        need(content == canonical(self.manifest) + b"\n", MANIFEST, "not canonical JSON")
        self.tables = {table["table"]: table for table in self.manifest["tables"]}
        named = {MANIFEST, *(table["file"] for table in self.manifest["tables"])}
        for stray in sorted({each.name for each in self.folder.iterdir()} ^ named):
            need(False, stray, "missing, or not of the archive")

    def rows(self, name: str) -> Iterator[Row]:
        """Yield the rows of a table; refuse the file at its end unless it is that of the
        manifest.
        """
        table = self.tables[name]
        file, path = table["file"], self.folder / table["file"]
        with path.open("rb") as packed:
            whole = hashlib.file_digest(packed, "sha256").hexdigest()
        need(whole == table["file_sha256"], file, "not the bytes of the manifest")
        lines, entries, count, size = hashlib.sha256(), hashlib.sha256(), 0, 0
        try:
            with gzip.open(path, "rb") as content:
                for line in content:
                    count, size = count + 1, size + len(line)
                    lines.update(line)
                    row = json.loads(line)
                    if table["retires"]:
                        entries.update(sealed(row, line))
                    yield row
        except (OSError, EOFError, ValueError, zlib.error) as error:
            need(False, file, f"cannot be read ({error})")
        made = {"rows": count, "bytes": size, "sha256": lines.hexdigest()}
        same(table, made, file)
        if table["retires"]:
            same(table["retires"], {"entries_sha256": entries.hexdigest()}, file)


def sealed(row: Row, line: bytes) -> bytes:
    """Return the entry of a row in the journal: transaction, id, digest of its text."""
    digest = hashlib.sha256(line.removesuffix(b"\n")).digest()
    return int(row["journal_xid"]).to_bytes(8, "big") + int(row["id"]).to_bytes(8, "big") + digest


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


class Retired:
    """The entries of retired rows, as a journal has them."""

    def __init__(self, retirements: list[Row]) -> None:
        for each in retirements:
            shaped(each, RETIREMENT, "periods.retired")
        self.tables = [(rows, list[bytes]()) for each in retirements for rows in each["tables"]]

    def add(self, table: Any, entries: list[bytes]) -> None:
        """Keep those of a block's entries that are of retired rows, to be sorted by row."""
        for rows, found in self.tables:
            if rows["table"] == table:
                ids = range(rows["first_row"], rows["last_row"] + 1)
                found += [e[8:16] + e for e in entries if int.from_bytes(e[8:16], "big") in ids]

    def need_sealed(self) -> None:
        """Refuse rows published as retired that are not those that were sealed."""
        for rows, found in self.tables:
            entries = hashlib.sha256(b"".join(entry[8:] for entry in sorted(found))).hexdigest()
            made = {"rows": len(found), "entries_sha256": entries}
            same(rows, made, f"periods.retired, {rows['table']} from {rows['first_row']}")

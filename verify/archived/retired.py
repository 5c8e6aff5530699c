"""Compare a journal with the rows that the log says were retired (docs/proofs/retired.md).

Used by journal.py.
"""

import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from documents import RETIREMENT
from entry import same
from forms import journal_entries, need, sha256, shaped, whole

LEFT = {"rows": whole, "sha256": sha256, "entries": ("", journal_entries)}
"""The other fields of a block whose entries left: the number of its rows, and the digest of all."""
Row = dict[str, Any]


@dataclass
class Range:
    """A retired range of rows as it was published, and its entries in the journal.

    `entries` are those of blocks that still have all of theirs. `staying` are those of the rows
    that stay, in blocks whose other entries left. Each begins with its row, to be sorted.
    """

    published: Row
    entries: list[bytes] = field(default_factory=list)
    staying: list[bytes] = field(default_factory=list)

    def has(self, row: int) -> bool:
        return bool(self.published["first_row"] <= row <= self.published["last_row"])


class Retired:
    """The entries of retired rows, as a journal has them."""

    def __init__(self, retirements: list[Row]) -> None:
        self.ranges: dict[str, list[Range]] = {}
        for each in retirements:
            shaped(each, RETIREMENT, "periods.retired")
            for retirement in each["tables"]:
                self.ranges.setdefault(retirement["table"], []).append(Range(retirement))
        self.gone: Counter[str] = Counter()
        self.left: Counter[str] = Counter()

    def block(
        self, table: Any, batch: int, line: Row, entries: list[bytes], place: str
    ) -> tuple[int, str]:
        """Keep a block's entries of retired rows; return how many rows it had,
        and the digest of all.
        """
        if "rows" in line:
            self.leave(table, batch, line["rows"], entries, place)
            return line["rows"], line["sha256"]
        for each in self.ranges.get(table, []):
            each.entries += [e[8:16] + e for e in entries if each.has(row_of(e))]
        return len(entries), hashlib.sha256(b"".join(entries)).hexdigest()

    def leave(self, table: Any, batch: int, rows: int, entries: list[bytes], place: str) -> None:
        """Keep the remaining entries of a block that lost some with rows; refuse it unless all rows
        of the table up to its batch were retired.
        """
        ranges, named = list[Range](), False
        for each in self.ranges.get(table, []):
            if not named:
                ranges.append(each)
                named = batch <= each.published["last_batch"]
        need(named, place, f"its entries are gone, and no retirement of {table} names its batch")
        need(len(entries) <= rows, place, f"more than {rows} rows are there")
        self.left[table] += rows
        for entry in entries:
            of = next((each for each in ranges if each.has(row_of(entry))), None)
            need(of, place, f"row {row_of(entry)} of {table} is there, and was not retired")
            if of:
                of.staying.append(entry[8:16] + entry)

    def need_as_sealed(
        self, table: Any, entries: list[bytes], images: list[str], place: str
    ) -> None:
        """Refuse a text that is not that of its entry, nor empty for a retired row; count these."""
        need(len(images) == len(entries), f"{place}.images", f"not {len(entries)}")
        for number, (entry, image) in enumerate(zip(entries, images, strict=True)):
            row, where = row_of(entry), f"{place}.images[{number}]"
            holds = entry[16:] == hashlib.sha256(image.encode()).digest()
            if not image:
                self.gone[table] += 1
                holds = any(each.has(row) for each in self.ranges.get(table, []))
            need(holds, where, f"row {row} of {table} is not as it was sealed")

    def need_sealed(self) -> None:
        """Refuse retired rows that are not those that were sealed, and other ones that stay."""
        for table, ranges in self.ranges.items():
            place, gone_rows = f"periods.retired, {table}", self.gone[table]
            leave = sum(each.published["leaves"] for each in ranges)
            need(gone_rows <= leave, place, f"{gone_rows} are gone, {leave} leave")
            sealed = self.left[table] + sum(len(each.entries) for each in ranges)
            rows = sum(each.published["rows"] for each in ranges)
            need(sealed == rows, place, f"{sealed} rows were sealed, {rows} retired")
            for each in ranges:
                self.need_range(each, place)

    def need_range(self, of: Range, place: str) -> None:
        """Refuse a range: by all its entries, or by those that stay, as far as they are known."""
        published, place = of.published, f"{place} from {of.published['first_row']}"
        if not self.left[published["table"]] or len(of.entries) == published["rows"]:
            counted = {"rows": len(of.entries), "entries_sha256": digest(of.entries)}
            same(published, counted, place)
            need(not of.staying, place, "rows are there twice")
            return
        stay, there = published["rows"] - published["leaves"], len(of.staying)
        need(
            there <= stay <= there + len(of.entries),
            place,
            f"{stay} rows stay, {there} are there and {len(of.entries)} in blocks with all entries",
        )
        if not of.entries:
            same(published, {"staying_sha256": digest(of.staying)}, place)


def row_of(entry: bytes) -> int:
    return int.from_bytes(entry[8:16], "big")


def digest(entries: list[bytes]) -> str:
    """Return the SHA-256 of entries in the order of rows."""
    return hashlib.sha256(b"".join(entry[8:] for entry in sorted(entries))).hexdigest()

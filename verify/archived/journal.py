"""Check the journal of an archive: its batches, and that they sealed the rows that left.

The closing of a month published its last batch. So the chain of the archive's batches ends with
that digest, and proves each block of entries in the archive. Used by archive.py.
"""

import hashlib
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any

from documents import JOURNAL_HEAD
from entry import digest_of, same
from forms import need, shaped

from archived.files import Archive, Row, key_of, moment, sealed

BLOCKS, BATCHES, FORMS = "journal_block", "journal_batch", "journal_rowform"
ENTRY = 48


class Journal:
    """The batches of a month, each the successor of the one before."""

    def __init__(self, archive: Archive, closing: Row, before: Row | None) -> None:
        self.archive = archive
        self.tables: dict[int, str] = {}  # by the id of a form
        self.blocks: dict[int, list[list[Any]]] = {}  # as the heads have them, by batch
        self.first, self.end, self.open = 0, 0, set[int]()  # transactions of its batches
        self.late: set[int] = set()  # earlier ones that ended in the month
        self.read_blocks()
        journal_before = before["journal"] if before else {"batch": 0, "digest": ""}
        self.read_batches(
            journal_before["batch"], journal_before["digest"] or "00" * 32, closing["journal"]
        )

    def read_blocks(self) -> None:
        forms: dict[int, str] = {}
        for row in self.archive.rows(FORMS):
            self.tables[row["id"]] = row["relation"]
            forms[row["id"]] = digest_of({"table": row["relation"], "columns": row["columns"]})
        for row in self.archive.rows(BLOCKS):
            content, place = entries_of(row), f"{BLOCKS} {row['id']}"
            need(row["row_form_id"] in forms, place, "of a form that is not there")
            need(len(content) == row["rows"] * ENTRY, place, f"not {row['rows']} entries")
            digest = hashlib.sha256(content).hexdigest()
            of_batch = self.blocks.setdefault(row["batch_id"], [])
            need(row["position"] == len(of_batch) + 1, place, "not the next one of its batch")
            of_batch.append([forms[row["row_form_id"]], row["rows"], digest])

    def read_batches(self, number: int, previous: str, last: Row) -> None:
        for row in self.archive.rows(BATCHES):
            place, number = f"{BATCHES} {row['number']}", number + 1
            head = {
                "format": "trot-journal-1",
                "batch": number,
                "previous": previous,
                "first_xid": row["first_xid"],
                "end_xid": row["end_xid"],
                "open": row["open_xids"],
                "sealed_at": moment(row["sealed_at"]).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                "blocks": self.blocks.pop(number, []),
            }
            shaped(head, JOURNAL_HEAD, place)
            previous = digest_of(head)
            same(row, {"number": number, "digest": f"\\x{previous}"}, place)
            if not self.end:
                self.first = row["first_xid"]
            self.end, self.open = row["end_xid"], set(row["open_xids"])
        need(not self.blocks, BLOCKS, f"of batches that are not there: {sorted(self.blocks)[:3]}")
        newest = {"batch": number, "digest": previous if number else ""}
        same(last, newest, "periods.closed, journal")

    def sealed(self, table: str, last_batch: int, retires: Row) -> Iterator[bytes]:
        """Yield the entries of a table's archived rows; refuse one after them up to a batch."""
        ids = range(retires["first_row"], retires["last_row"] + 1)
        for block in self.archive.rows(BLOCKS):
            if self.tables[block["row_form_id"]] != table:
                continue
            content = entries_of(block)
            for at in range(0, len(content), ENTRY):
                row = int.from_bytes(content[at + 8 : at + 16], "big")
                need(
                    row < ids.stop or block["batch_id"] > last_batch,
                    f"periods.retired, {table}",
                    f"row {row} was not retired, and batch {block['batch_id']} sealed it",
                )
                if row in ids:
                    yield content[at : at + ENTRY]

    def check_rows(self, table: str, last_batch: int, earlier: Iterable["Journal"]) -> int:
        """Refuse archived rows that are not those that the batches of the month, or of `earlier`
        ones, sealed. Return how many are of transactions of other months: they are not compared.
        """
        retires = self.archive.tables[table]["retires"]
        rows = (
            sealed(row, line)
            for row, line in self.archive.lines(table)
            if key_of(row) in self.archive.leaving(table)
        )
        waiting: dict[bytes, int] = {}  # both are nearly in the same order: few wait
        for pair in zip_longest(rows, self.sealed(table, last_batch, retires)):
            for side, entry in zip((1, -1), pair, strict=True):
                if entry is not None and waiting.pop(entry, 0) != -side:
                    waiting[entry] = side
        for entry, side in waiting.items():
            xid, row = (int.from_bytes(entry[at : at + 8], "big") for at in (0, 8))
            need(side == 1, f"{table} {row}", "sealed, and not in the archive as it was")
            is_other = xid < self.first or xid >= self.end or xid in self.open
            need(is_other, f"{table} {row}", "in the archive, and not sealed")
        others = set(waiting)
        for each in earlier if others else ():
            others -= each.compared(table, others)
        return len(others)

    def compared(self, table: str, entries: set[bytes]) -> set[bytes]:
        """Return those of entries that the month sealed; refuse another one of its transactions."""
        blocks = (b for b in self.archive.rows(BLOCKS) if self.tables[b["row_form_id"]] == table)
        contents = map(entries_of, blocks)
        parts = (each[at : at + ENTRY] for each in contents for at in range(0, len(each), ENTRY))
        there = {part for part in parts if part in entries}
        for entry in entries - there:
            xid, row = (int.from_bytes(entry[at : at + 8], "big") for at in (0, 8))
            is_other = xid < self.first or xid >= self.end or xid in self.open
            need(is_other, f"{table} {row}", "in the archive, and its own month did not seal it")
        return there


def entries_of(block: Row) -> bytes:
    return bytes.fromhex(block["entries"].removeprefix("\\x"))

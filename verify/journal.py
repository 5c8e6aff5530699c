"""Check that an exported journal is complete, and as it was sealed and published.

    python journal.py JOURNAL LOG KEYS

JOURNAL is what `manage.py journal_export` writes; LOG and KEYS are those of public_log.py: take
both from where the organiser cannot change them (docs/proofs/journal.md).
"""

import hashlib
from pathlib import Path
from typing import Any

from archived.files import lineage_of, one_past
from archived.keys import Key, keys_in_force
from archived.retired import LEFT, Retired
from documents import JOURNAL_BATCH, JOURNAL_BLOCK, JOURNAL_FORM, JOURNAL_HEAD
from ed25519 import verify
from entry import canonical, digest_of, main, parsed, same
from forms import need, shaped, text
from public_log import Log

ACT, SOURCE = "journal_act", "journal_source"
IN_CLEAR = (ACT, SOURCE, "journal_change")
Line = dict[str, Any]


class Journal:
    """Keep the state of the reading: the chain of batches, and the blocks of the next batch."""

    def __init__(self, keys: dict[str, Key], retired: Retired) -> None:
        self.keys, self.retired = keys, retired
        self.tables: dict[str, str] = {}  # by form
        self.blocks: list[list[Any]] = []
        self.transactions: list[tuple[set[int], str]] = []  # of each block
        self.digests: dict[int, str] = {0: "00" * 32}
        self.lineages: dict[int, int] = {0: 0}  # by batch: that of its last transactions
        self.agreed = 0  # the last batch that was found as it was published
        self.number, self.end, self.previous = 0, 0, "00" * 32
        self.sealed_at, self.key = "", None
        self.open: set[int] = set()  # transactions that an earlier batch left to a later one
        self.entries = self.acts = self.archived = 0

    def form(self, line: Line, place: str) -> None:
        """Read a form: the table and the columns of the rows in some blocks."""
        shaped(line, JOURNAL_FORM, place)
        digest = digest_of({"table": line["table"], "columns": line["columns"]})
        same(line, {"form": digest}, place)
        self.tables[digest] = line["table"]

    def block(self, line: Line, place: str) -> None:
        """Read a block of entries of one table: transaction, key of the row, digest of its text.

        Of a block whose entries left with rows there are those of the rows that stay.
        """
        table = self.tables.get(line["block"]) if text(line["block"]) else None
        need(table, f"{place}.block", "of no known form")
        clear = {"images": [text]} if table in IN_CLEAR else {}
        shaped(line, JOURNAL_BLOCK | clear | (LEFT if "rows" in line else {}), place)
        content = bytes.fromhex(line["entries"])
        entries = [content[at : at + 48] for at in range(0, len(content), 48)]
        need(entries == sorted(entries), f"{place}.entries", "not in order")
        if clear:
            self.retired.need_as_sealed(table, entries, line["images"], place)
        self.transactions.append(({int.from_bytes(entry[:8], "big") for entry in entries}, place))
        rows, digest = self.retired.block(table, self.number + 1, line, entries, place)
        self.blocks.append([line["block"], rows, digest])
        self.archived += rows - len(entries)
        self.entries += rows
        self.acts += rows if table == ACT else 0

    def batch(self, line: Line, place: str) -> None:
        """Read the signed head of the blocks before it. It is chained to the previous batch."""
        shaped(line, JOURNAL_BATCH, place)
        head = {name: line[name] for name in JOURNAL_HEAD}
        place, message = f"batch {line['batch']}", canonical(head)
        chained = {"batch": self.number + 1, "previous": self.previous, "first_xid": self.end}
        same(head, chained, place)
        need(head["end_xid"] >= self.end, f"{place}.end_xid", "before the first")
        left, end = set(head["open"]), head["end_xid"]
        need(
            all(each in self.open or self.end <= each < end for each in left),
            f"{place}.open",
            "a transaction that an earlier batch has",
        )
        for number in range(max(len(self.blocks), len(head["blocks"]))):
            here = self.blocks[number : number + 1]
            need(
                here == head["blocks"][number : number + 1],
                f"{place}.blocks[{number}]",
                "not the block before it: changed, removed, added or moved",
            )
        for written, where in self.transactions:
            need(
                all(each in self.open or self.end <= each < end for each in written - left)
                and not written & left,
                f"{place}, {where}",
                "an entry of another batch's transactions",
            )
        key = self.keys.get(line["key"])
        need(key, f"{place}.key", "not a key of the public log")
        signs = key.signs(head["batch"], self.key)
        need(signs, f"{place}.key", "not in force when it was sealed")
        at, self.key = head["sealed_at"], key
        need(at >= self.sealed_at, f"{place}.sealed_at", "before the batch before")
        need(
            verify(key.public, message, bytes.fromhex(line["signature"])),
            f"{place}.signature",
            "does not hold: something in the head was changed",
        )
        digest = hashlib.sha256(message).hexdigest()
        same(line, {"digest": digest}, place)
        self.number, self.end, self.previous, self.open = head["batch"], end, digest, left
        self.blocks, self.transactions, self.sealed_at = [], [], at
        self.digests[self.number], self.lineages[self.number] = digest, lineage_of(end)

    def read(self, file: str) -> None:
        kinds = {"form": self.form, "block": self.block, "batch": self.batch}
        with Path(file).open(encoding="utf-8", errors="surrogateescape") as lines:
            for number, each in enumerate(lines, start=1):
                place, line = f"line {number}", parsed(each, f"line {number}")
                kind = next((each for each in kinds if type(line) is dict and each in line), "")
                need(kind, place, "neither a form, nor a block, nor a batch")
                kinds[kind](line, place)
        need(not self.blocks, "end", "blocks of a batch that is missing")

    def as_published(self, checkpoint: dict[str, Any]) -> None:
        """Refuse a journal that differs, at the checkpoint's batch, from what was published."""
        number, digest = checkpoint["batch"], checkpoint["digest"]
        place, since = f"batch {number}", f"as published up to batch {self.agreed}"
        need(number in self.digests, place, f"published, and is not in the journal, {since}")
        here = self.digests[number]
        need(digest == here, f"{place}.digest", f"{here}, {since}, and {digest} was published")
        self.agreed = number


def check(journal: str, log_file: str, keys: str) -> str:
    log = Log(log_file, keys)
    retired, checkpoints = Retired(log.all("periods.retired")), log.all("journal.checkpoint")
    own = Journal(keys_in_force(log), retired)
    own.read(journal)
    retired.need_sealed()
    for each in log.all("periods.retired"):
        month, past = each["first_day"][:7], each["journal"]
        there = own.digests.get(past["batch"], "") if past["batch"] else ""
        need(past["digest"] == there, f"periods.retired {month}, journal", "not of this journal")
    published = max((each["batch"] for each in checkpoints), default=0)
    one_past(own.digests, own.lineages, log.all("journal.lineage"), published)
    for checkpoint in checkpoints:
        own.as_published(checkpoint)
    last = f", the last of batch {checkpoints[-1]['batch']}" if checkpoints else ""
    return (
        f"WHOLE: {own.number} batches, {own.entries} entries ({own.archived} archived),"
        f" {own.acts} acts; as published in {len(checkpoints)} checkpoints{last}"
    )


if __name__ == "__main__":
    main(check, "journal.py JOURNAL LOG KEYS")

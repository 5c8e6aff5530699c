"""Whether an exported journal is whole, as it was sealed, and as it was published.

    python journal.py JOURNAL.jsonl LOG.jsonl PUBLIC_KEY [PUBLIC_KEY ...]

JOURNAL.jsonl is what `manage.py journal_export` writes; LOG.jsonl a copy of the public log, and
the keys those of public_log.py: take both from where the organiser cannot change them. Offline,
with the standard library, entry.py, public_log.py and ed25519.py, line by line.
"""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ed25519 import verify
from entry import canonical, fields, main, need, unhex
from public_log import log_holds

HEAD = "format batch previous first_xid end_xid sealed_at blocks"
CHECKPOINT = "format day batch digest entries acts"
ACT, IN_CLEAR = "journal_act", ("journal_act", "journal_change")


def check(journal: str, log: str, first: str, *others: str) -> str:
    entries = [json.loads(line) for line in Path(log).read_text("utf-8").splitlines()]
    log_holds(entries, [unhex(key, 32, "PUBLIC_KEY") for key in (first, *others)])
    keys = {
        entry["subject"]: bytes.fromhex(entry["document"]["public_key"])
        for entry in entries if entry["kind"] == "proofs.key"
    }  # fmt: skip
    checkpoints = [e["document"] for e in entries if e["kind"] == "journal.checkpoint"]
    with Path(journal).open(encoding="utf-8") as lines:
        found = Journal(keys)
        for number, line in enumerate(lines, start=1):
            found.take(json.loads(line), f"line {number}")
    need(not found.blocks, "end", "blocks of a batch that is missing")
    for published in checkpoints:
        anchored(published, found)
    last = f", the last of {checkpoints[-1]['day']}" if checkpoints else ""
    return (
        f"WHOLE: {found.number} batches, {found.entries} entries, {found.acts} acts;"
        f" as published in {len(checkpoints)} checkpoints{last}"
    )


class Journal:
    """What was read so far: the chain of batches, and the blocks of the one that comes next."""

    def __init__(self, keys: dict[str, bytes]) -> None:
        self.keys = keys
        self.forms: dict[str, str] = {}
        self.blocks: list[list[Any]] = []
        self.spans: list[tuple[int, int, str]] = []
        self.states: dict[int, tuple[str, int, int]] = {}
        self.number, self.end, self.previous = 0, 0, "00" * 32
        self.entries = self.acts = 0

    def take(self, line: Any, place: str) -> None:
        need(isinstance(line, dict), place, "not an object")
        for kind in ("form", "block", "batch"):
            if kind in line:
                return getattr(self, kind)(line, place)  # type: ignore[no-any-return]
        return need(False, place, "neither a form, nor a block, nor a batch")

    def form(self, line: dict[str, Any], place: str) -> None:
        need(line.keys() == {"form", "table", "columns"}, place, "not a form's fields")
        said = {"table": line["table"], "columns": line["columns"]}
        made = hashlib.sha256(canonical(said)).hexdigest()
        need(line["form"] == made, f"{place}.form", "not that of its table and columns")
        self.forms[made] = line["table"]

    def block(self, line: dict[str, Any], place: str) -> None:
        form, text = line["block"], line.get("entries")
        need(isinstance(form, str) and form in self.forms, f"{place}.block", "of no known form")
        clear = {"images"} if self.forms[form] in IN_CLEAR else set()
        need(line.keys() == {"block", "entries"} | clear, place, "not a block's fields")
        need(isinstance(text, str) and text, f"{place}.entries", "none")
        content = unhex(text, len(text) // 2, f"{place}.entries")
        need(len(content) % 48 == 0, f"{place}.entries", "not whole entries")
        each = [content[at : at + 48] for at in range(0, len(content), 48)]
        need(each == sorted(each), f"{place}.entries", "not in order")
        table = self.forms[form]
        for number, (entry, image) in enumerate(images(line, len(each), place, each), start=1):
            made = hashlib.sha256(image.encode()).digest()
            need(entry[16:] == made, f"{place}, entry {number} of {table}",
                 f"row {int.from_bytes(entry[8:16], 'big')} is not as it was sealed")  # fmt: skip
        self.spans.append(
            (int.from_bytes(each[0][:8], "big"), int.from_bytes(each[-1][:8], "big"), place)
        )
        self.blocks.append([form, len(each), hashlib.sha256(content).hexdigest()])
        self.entries += len(each)
        self.acts += len(each) if table == ACT else 0

    def batch(self, line: dict[str, Any], place: str) -> None:
        need(line.keys() == {*HEAD.split(), "digest", "key", "signature"}, place,
             "not a batch's fields")  # fmt: skip
        head = {name: line[name] for name in HEAD.split()}
        place = f"batch {line['batch']}"
        need(head["format"] == "trot-journal-1", f"{place}.format", "not trot-journal-1")
        need(head["batch"] == self.number + 1, f"{place}.batch", f"not {self.number + 1}")
        need(head["previous"] == self.previous, f"{place}.previous", "not the batch before")
        need(head["first_xid"] == self.end, f"{place}.first_xid", f"not {self.end}")
        need(type(head["end_xid"]) is int and head["end_xid"] > self.end, f"{place}.end_xid",
             "not after the first")  # fmt: skip
        need(isinstance(head["blocks"], list), f"{place}.blocks", "not a list")
        for number in range(max(len(self.blocks), len(head["blocks"]))):
            here = self.blocks[number : number + 1]
            need(here == head["blocks"][number : number + 1], f"{place}.blocks[{number}]",
                 "not the block before it: changed, removed, added or moved")  # fmt: skip
        for first, last, where in self.spans:
            need(self.end <= first and last < head["end_xid"], f"{place}, {where}",
                 "an entry of another batch's transactions")  # fmt: skip
        message = canonical(head)
        made = hashlib.sha256(message).hexdigest()
        need(line["key"] in self.keys, f"{place}.key", "not a key of the public log")
        signature = unhex(line["signature"], 64, f"{place}.signature")
        need(verify(self.keys[line["key"]], message, signature), f"{place}.signature",
             "does not hold: something in the head was changed")  # fmt: skip
        need(line["digest"] == made, f"{place}.digest", "not that of its head")
        self.states[head["batch"]] = (made, self.entries, self.acts)
        self.number, self.end, self.previous = head["batch"], head["end_xid"], made
        self.blocks, self.spans = [], []


def images(
    line: dict[str, Any], rows: int, place: str, each: list[bytes]
) -> Iterator[tuple[bytes, str]]:
    """Entries whose rows are given in clear."""
    if "images" not in line:
        return
    given = line["images"]
    need(isinstance(given, list) and len(given) == rows, f"{place}.images", f"not {rows}")
    for number, (entry, image) in enumerate(zip(each, given, strict=True)):
        need(isinstance(image, str), f"{place}.images[{number}]", "not a text")
        yield entry, image


def anchored(published: Any, found: Journal) -> None:
    """That the journal is at that batch what was published of it."""
    place = f"checkpoint {published.get('day') if isinstance(published, dict) else '?'}"
    fields(published, CHECKPOINT, place)
    need(published["format"] == "trot-checkpoint-1", f"{place}.format", "not trot-checkpoint-1")
    state = found.states.get(published["batch"])
    if state is None:
        need(False, place, f"batch {published['batch']} is not in the journal")
        return
    for name, is_here in zip(("digest", "entries", "acts"), state, strict=True):
        need(published[name] == is_here, f"batch {published['batch']}.{name}",
             f"{is_here}, and {published[name]} was published on {published['day']}")  # fmt: skip


if __name__ == "__main__":
    main(check, "journal.py JOURNAL.jsonl LOG.jsonl PUBLIC_KEY [PUBLIC_KEY ...]")

"""Compare the worked bytes of docs/proofs/journal.md with the system's code."""

import hashlib
import json
import re
import zlib
from datetime import UTC, datetime

import pytest

from core.journal import wire
from core.kernel.canonical import canonical_bytes
from core.proofs.keys import _private
from core.tools.embedded.server import ROOT

PAGE = (ROOT / "docs" / "proofs" / "journal.md").read_text("utf-8")


def test_the_worked_bytes() -> None:
    match = re.search(r"<!-- example: journal -->\n```json\n(.*?)\n```", PAGE, re.DOTALL)
    assert match is not None
    example = json.loads(match[1])
    digest = hashlib.sha256(example["text"].encode()).digest()
    content = bytes.fromhex(example["entry"])
    assert list(wire.entries_of(content)) == [wire.Entry(800, 7, digest)]
    form = wire.form_digest("places", sorted(json.loads(example["text"])))
    assert form == example["form"]
    head = wire.head(
        number=1,
        previous=wire.NOTHING_BEFORE,
        first_xid=0,
        end_xid=801,
        open_xids=(),
        sealed_at=datetime(2030, 3, 2, 11, 0, 5, tzinfo=UTC),
        blocks=[wire.block_head(form, 1, hashlib.sha256(content).digest())],
    )
    assert head == example["head"]
    message = canonical_bytes(head)
    assert hashlib.sha256(message).hexdigest() == example["digest"]
    assert _private(bytes(range(32))).sign(message).hex() == example["signature"]


def entry(xid: int, row: int) -> bytes:
    return wire.entry_bytes(wire.Entry(xid, row, hashlib.sha256(f"{xid}".encode()).digest()))


@pytest.mark.parametrize(
    "numbers",
    [
        [(800, 7)],
        [(800, 7), (801, 8), (801, 9), (900, 3)],
        [(-(2**63), 2**63 - 1), (2**63 - 1, -(2**63)), (0, 0)],
        [(2**44 + step, 5_000_000_000 + step) for step in range(1024)],
    ],
)
def test_a_shortened_block_names_every_row(numbers: list[tuple[int, int]]) -> None:
    entries = [entry(*each) for each in numbers]
    short = wire.shortened(entries)
    assert wire.is_short(short, len(entries)) and wire.is_shortened(short, entries)
    named = wire.short_entries(short, len(entries))
    assert [(each.xid, each.row) for each in named] == numbers
    assert b"".join(each.digest for each in named) == b"".join(each[16:24] for each in entries)


def test_numbers_that_follow_one_another_take_next_to_nothing() -> None:
    entries = [entry(2**44 + 2 * step, step) for step in range(1024)]
    assert len(wire.shortened(entries)) < 1024 * wire.SHORT_DIGEST_BYTES + 100


def test_a_shortened_block_of_other_rows_or_of_another_number_is_refused() -> None:
    entries = [entry(800 + step, step) for step in range(5)]
    short = wire.shortened(entries)
    for other in (b"", b"x", short[:-1], short + b"x", short[8:], b"x" * 8 + short):
        assert not wire.is_short(other, 5) and not wire.is_shortened(other, entries), other
        with pytest.raises(ValueError):
            wire.short_entries(other, 5)
    for rows in (1, 4, 6, 5000):
        assert not wire.is_short(short, rows)
    for others in (entries[::-1], [*entries[:4], entry(804, 5)], [*entries[:4], entry(805, 4)]):
        assert not wire.is_shortened(short, others)


def test_numbers_that_unpack_to_much_are_not_unpacked() -> None:
    bomb = zlib.compressobj(wbits=-15)
    assert not wire.is_short(bytes(8) + bomb.compress(bytes(10_000_000)) + bomb.flush(), 1)

"""Batches of which a table's entries left: by which rows they are found."""

from typing import Any

from core.journal.models import Block
from core.journal.retired.left import Left, is_gone
from core.proofs.log import publish
from core.proofs.selectors import RETIREMENT, RetiredBlocks


class UpToBatch3(RetiredBlocks):
    """Retired up to batch 3, with rows 1 to 5."""

    def rows_of(self, batch: int) -> list[range] | None:
        return [range(1, 6)] if batch <= 3 else None


def test_only_a_block_that_keeps_nothing_and_is_retired_needs_no_rows() -> None:
    gone = Block(batch_id=3, position=1, rows=2, sha256=b"x" * 32)
    kept = Block(batch_id=3, position=1, rows=2, sha256=b"x" * 32, short=b"x")
    later = Block(batch_id=4, position=1, rows=2, sha256=b"x" * 32)
    assert (is_gone(gone), is_gone(kept)) == (True, False)
    for block, retired, differs in (
        (gone, UpToBatch3("t"), False),
        (gone, None, True),
        (kept, UpToBatch3("t"), True),
        (later, UpToBatch3("t"), True),
    ):
        left = Left(retired)
        left.add(block)
        assert bool(left._differing()) == differs


def publish_retired(month: int, **named: int) -> None:
    table = {"table": "t", "rows": 1, "leaves": 1, "staying_sha256": "", **named}
    day = f"2030-0{month}-01"
    document: Any = {"first_day": day, "journal": {"batch": 9}, "tables": [table]}
    publish(kind=RETIREMENT, subject=f"period:{month}", document=document)


def test_the_log_says_which_rows_a_batch_may_have(db: None) -> None:
    blocks = RetiredBlocks("t")
    assert blocks.rows_of(1) is None
    publish_retired(3, first_row=1, last_row=5, last_batch=2)
    assert (blocks.rows_of(2), blocks.rows_of(3)) == ([range(1, 6)], None)
    publish_retired(4, first_row=6, last_row=7, last_batch=4)
    assert blocks.rows_of(4) == [range(1, 6), range(6, 8)]
    assert blocks.rows_of(2) == [range(1, 6)]
    assert RetiredBlocks("u").rows_of(1) is None

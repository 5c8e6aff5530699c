"""verify/retired.py: what a journal has of retired rows, against false retirements and journals."""

import hashlib
from typing import Any

import pytest

from tests.support.verifying.forging import Refused
from tests.support.verifying.load import verifier

retired = verifier("archived.retired")
PLACE = "line 7"


def entry(row: int, xid: int = 5) -> bytes:
    return xid.to_bytes(8, "big") + row.to_bytes(8, "big") + hashlib.sha256(b"%d" % row).digest()


def digest(rows: list[int]) -> str:
    return hashlib.sha256(b"".join(map(entry, rows))).hexdigest()


def table_part(first: int, last: int, stay: list[int], last_batch: int) -> dict[str, Any]:
    """Return the part of a retirement about one table: of rows without a gap some stay."""
    rows = list(range(first, last + 1))
    return {
        "table": "t",
        "first_row": first,
        "last_row": last,
        "rows": len(rows),
        "entries_sha256": digest(rows),
        "leaves": len(rows) - len(stay),
        "staying_sha256": digest(stay),
        "last_batch": last_batch,
    }


def published(*tables: dict[str, Any]) -> Any:
    month = {
        "format": "trot-retirement-1",
        "number": 1,
        "first_day": "2030-03-01",
        "last_day": "2030-03-31",
        "archive_sha256": "00" * 32,
        "kept": "safe",
        "journal": {"batch": 9, "digest": "00" * 32},
        "openings": {
            "first_row": 1,
            "last_row": 0,
            "accounts": 0,
            "sha256": "00" * 32,
            "last_xid": 0,
        },
    }
    return retired.Retired([{**month, "tables": [each]} for each in tables])


def left(retired: Any, batch: int, rows: int, there: list[int]) -> None:
    """Read a block of a batch whose entries left: of so many rows these are there."""
    line = {"rows": rows, "sha256": "00" * 32}
    block = retired.block("t", batch, line, list(map(entry, there)), PLACE)
    assert block == (rows, "00" * 32)


def whole(retired: Any, rows: list[int]) -> None:
    assert retired.block("t", 8, {}, list(map(entry, rows)), PLACE) == (len(rows), digest(rows))


def test_what_stays_is_proved_when_all_entries_of_a_range_left() -> None:
    journal = published(table_part(1, 6, [2, 5], 3))
    left(journal, 2, 4, [2])
    left(journal, 3, 2, [5])
    journal.need_sealed()
    for there, by in (
        ([], "2 rows stay, 0 are there"),
        ([2, 3], "staying_sha256"),
        ([2, 4, 5], ""),
    ):
        journal = published(table_part(1, 6, [2, 5], 3))
        left(journal, 3, 6, there)
        with pytest.raises(Refused, match=f"^periods.retired, t from 1.*{by}"):
            journal.need_sealed()


def test_a_batch_that_no_retirement_names_has_its_entries() -> None:
    for retired, batch in (
        (published(), 1),
        (published(table_part(1, 6, [], 3)), 4),
        (published(table_part(1, 6, [], 3), table_part(7, 8, [], 4)), 5),
    ):
        with pytest.raises(Refused, match=r"^line 7: its entries are gone, and no retirement of t"):
            left(retired, batch, 6, [])


def test_rows_that_were_not_retired_or_later_are_not_in_such_a_batch() -> None:
    both = table_part(1, 6, [2], 3), table_part(7, 9, [8], 5)
    for batch, rows, there, by in (
        (2, 6, [2, 8], "row 8 of t is there, and was not retired"),
        (5, 3, [8, 10], "row 10 of t is there, and was not retired"),
        (2, 1, [2, 3], "more than 1 rows are there"),
    ):
        with pytest.raises(Refused, match=f"^line 7: {by}"):
            left(published(*both), batch, rows, there)


def test_rows_taken_with_the_entries_of_a_batch_that_was_named_too_late_are_missed() -> None:
    """A row 7 was sold after the range; the retirement says that its batch had none such."""
    journal = published(table_part(1, 6, [2], 4))
    left(journal, 3, 6, [2])
    left(journal, 4, 1, [])
    with pytest.raises(Refused, match=r"^periods.retired, t: 7 rows were sealed, 6 retired"):
        journal.need_sealed()


def test_a_batch_at_the_border_has_all_entries_until_the_next_month_left() -> None:
    border = table_part(1, 6, [2, 5], 3)
    journal = published(border)
    left(journal, 3, 4, [2])
    whole(journal, [5, 6, 7])  # 6 is gone
    journal.need_sealed()
    journal = published(border)
    left(journal, 3, 4, [])
    whole(journal, [5, 6, 7])
    journal.need_sealed()  # 5 and 6 may be those that stay: only the next month tells
    journal = published(border, table_part(7, 9, [], 4))
    left(journal, 3, 4, [])
    left(journal, 4, 5, [5])
    with pytest.raises(Refused, match=r"^periods.retired, t from 1: 2 rows stay, 1 are there"):
        journal.need_sealed()
    journal = published(border, table_part(7, 9, [], 4))
    left(journal, 3, 4, [2])
    left(journal, 4, 5, [5])
    journal.need_sealed()


def test_without_such_batches_all_entries_of_a_range_are_compared() -> None:
    journal = published(table_part(1, 3, [2], 0))
    whole(journal, [1, 2, 3])
    journal.need_sealed()
    for rows in ([1, 2], [1, 2, 2]):
        journal = published(table_part(1, 3, [2], 0))
        whole(journal, rows)
        with pytest.raises(Refused, match=r"^periods.retired, t"):
            journal.need_sealed()


def test_texts_are_those_of_their_entries_or_of_rows_that_may_be_gone() -> None:
    journal = published(table_part(1, 3, [2], 0))
    journal.need_as_sealed("t", [entry(1), entry(2), entry(3)], ["", "2", ""], PLACE)
    assert journal.gone == {"t": 2}
    for entries, images, by in (
        ([entry(1)], [], "images: not 1"),
        ([entry(1)], ["2"], "row 1 of t is not as it was sealed"),
        ([entry(4)], [""], "row 4 of t is not as it was sealed"),
    ):
        with pytest.raises(Refused, match=by):
            journal.need_as_sealed("t", entries, images, PLACE)
    journal.need_as_sealed("t", [entry(2)], [""], PLACE)
    with pytest.raises(Refused, match="4 are gone, 2 leave"):
        journal.need_sealed()

"""Test the cursors and pages of lists."""

import base64

import pytest

from core.api.errors import CursorInvalid
from core.api.pagination import cursor_of, page_of, position_of


@pytest.mark.parametrize("position", [0, 41, 2**63 - 1, "LT-01", "ñ"])
def test_a_cursor_gives_its_position_back(position: int | str) -> None:
    assert position_of(cursor_of(position), type(position)) == position


def test_the_first_page_has_no_position() -> None:
    assert position_of("", int) is None


@pytest.mark.parametrize(
    "cursor",
    [
        "!",
        "bm90IGpzb24",
        cursor_of("text"),
        cursor_of(-1),
        cursor_of(2**63),
        base64.urlsafe_b64encode(b"[true]").decode(),
        base64.urlsafe_b64encode(b"[1, 2]").decode(),
    ],
)
def test_a_cursor_that_no_list_gave_is_refused(cursor: str) -> None:
    with pytest.raises(CursorInvalid):
        position_of(cursor, int)


def test_a_text_that_postgresql_cannot_store_is_no_position() -> None:
    with pytest.raises(CursorInvalid):
        position_of(cursor_of("\x00"), str)


def test_pages_hold_each_item_once() -> None:
    def fetch(after: int | None, limit: int) -> list[int]:
        return [number for number in range(7) if after is None or number > after][:limit]

    pages: list[list[int]] = []
    cursor: str | None = ""
    while cursor is not None:
        query = {"limit": 3, "cursor": cursor}
        page, cursor = page_of(fetch, query, kind=int, position=lambda number: number)
        pages.append(page)
    assert pages == [[0, 1, 2], [3, 4, 5], [6]]

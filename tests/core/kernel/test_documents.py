"""Check the strict reader of documents: it names the place of the first fault, and leaves no field
unread.
"""

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from core.kernel.documents import Table
from core.kernel.errors import Invalid


class Refused(Invalid):
    code = "test_refused"


DOCUMENT: dict[str, Any] = {
    "name": "a",
    "count": 3,
    "day": "2027-01-31",
    "percent": "12.5",
    "inner": {"names": ["x", "y"]},
    "rows": [{"count": 1}, {"count": 2}],
    "words": {"ca": "u", "es": "uno"},
}


def read(document: object) -> tuple[object, ...]:
    table = Table(document, "$", Refused)
    values = (
        table.text("name"),
        table.whole("count", 9, 1),
        table.optional("absent", 9, 7),
        table.day("day"),
        table.percent("percent"),
        table.table("inner", lambda inner: inner.texts("names")),
        table.tables("rows", lambda row: row.whole("count", 9)),
        table.mapping("words"),
    )
    table.finish()
    return values


def test_a_document_is_read() -> None:
    day, percent = date(2027, 1, 31), Fraction(25, 2)
    words = {"ca": "u", "es": "uno"}
    assert read(DOCUMENT) == ("a", 3, 7, day, percent, ("x", "y"), (1, 2), words)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"name": 1}, "$.name"),
        ({"name": None}, "$.name"),
        ({"count": True}, "$.count"),
        ({"count": 0}, "$.count"),
        ({"count": 10}, "$.count"),
        ({"count": "3"}, "$.count"),
        ({"day": "31-01-2027"}, "$.day"),
        ({"percent": 12.5}, "$.percent"),
        ({"inner": []}, "$.inner"),
        ({"inner": {"names": ["x", 2]}}, "$.inner.names[1]"),
        ({"inner": {"names": []}}, "$.inner.names"),
        ({"inner": {"names": ["x"], "more": 1}}, "$.inner.more"),
        ({"rows": [{"count": 1}, {"count": -1}]}, "$.rows[1].count"),
        ({"rows": [{"count": 1}, 5]}, "$.rows[1]"),
        ({"rows": [{"count": 1}] * 129}, "$.rows"),
        ({"words": {"ca": 1}}, "$.words.ca"),
        ({"more": 1}, "$.more"),
    ],
)
def test_the_first_fault_is_named_with_its_place(changes: dict[str, Any], place: str) -> None:
    with pytest.raises(Refused) as refused:
        read(DOCUMENT | changes)
    assert refused.value.data["place"] == place


@pytest.mark.parametrize("make", [list, str, int, lambda: {1: 2}])
def test_no_object_is_no_document(make: Callable[[], object]) -> None:
    with pytest.raises(Refused) as refused:
        read(make())
    assert refused.value.data["place"] == "$"

"""Check the strict reader of documents: it names the place of the first fault, and leaves no field
unread.
"""

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from core.kernel.documents import MAX_DEPTH, Fault, NotJson, Table, loads, versions
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
        ({"day": "2027-W05-1"}, "$.day"),
        ({"day": "2027-02-30"}, "$.day"),
        ({"count": 10**5000}, "$.count"),
        ({"count": 1e400}, "$.count"),
        ({"percent": 10**5000}, "$.percent"),
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


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Expecting value"),
        ('{"a": 1} {"a": 1}', "Extra data"),
        ('{"a": 1, "a": 1}', "same name twice"),
        ('[{"a": {"b": 1, "c": 2, "b": 3}}]', "same name twice"),
        ("[NaN]", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ("9" * 5000, "too long"),
        ("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "too deeply"),
        ('{"a":' * 100_000, "too deeply"),
    ],
)
def test_what_is_not_one_strict_document_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotJson, match=why):
        loads(text)


def test_exact_numbers_stay_the_text_they_are() -> None:
    text = f'[1, 0.10, 1e400, NaN, {"9" * 5000}, "1"]'
    assert loads(text, exact=True) == [1, "0.10", "1e400", "NaN", "9" * 5000, "1"]
    with pytest.raises(NotJson, match="same name twice"):
        loads('{"a": 1, "a": 1}', exact=True)


def test_a_data_file_holds_versions_and_nothing_else() -> None:
    assert versions('{"versions": [1]}', Refused) == [1]
    for text in ("[]", "{}", '{"versions": {}}', '{"versions": [], "more": 1}'):
        with pytest.raises(Refused):
            versions(text, Refused)


def test_all_faults_are_gathered_with_their_places() -> None:
    faults: list[Fault] = []
    rows = [{"count": "1"}, 5, {"count": 2, "more": 1}]
    document = DOCUMENT | {"rows": rows, "day": 7, "percent": 101, "inner": None, "more": 1}
    table = Table(document, "$", Refused, faults)
    table.only(DOCUMENT)
    read = (
        table.text("name"),
        table.whole("count", 9, 5),
        table.day("day"),
        table.percent("percent"),
        table.table("inner", lambda inner: inner.texts("names")),
        table.tables("rows", lambda row: row.whole("count", 9)),
    )
    assert read == ("a", 0, date.min, 0, (), (0, 0, 2))
    assert [(fault.kind, fault.place) for fault in faults] == [
        ("unknown", "$.more"),
        ("whole", "$.count"),
        ("day", "$.day"),
        ("bad_percent", "$.percent"),
        ("object", "$.inner"),
        ("whole", "$.rows[0].count"),
        ("object", "$.rows[1]"),
        ("unknown", "$.rows[2].more"),
    ]
    assert table.sound("name") and not table.sound("inner") and not table.sound("count")

"""Test the strict reader of request bodies."""

import pytest
from django.test import RequestFactory

from core.api.errors import BodyTooLarge, MalformedJson
from core.api.parsing import loads, read_bytes
from core.kernel.documents import MAX_DEPTH


def test_a_document_is_read() -> None:
    assert loads('{"legs": [[1, 2], "ñ"], "price": null}'.encode()) == {
        "legs": [[1, 2], "ñ"],
        "price": None,
    }


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"a": 1, "a": 1}', "same name twice"),
        (b'{"a": {"b": 1, "b": 2}}', "same name twice"),
        (b"NaN", "is not JSON"),
        (b"-Infinity", "is not JSON"),
        (b"\xff", "not UTF-8"),
        (b"{} {}", "Extra data"),
        (b"", "Expecting value"),
        (b"1" * 5000, "too long"),
        (rb'["\u0000"]', "NUL"),
        (rb'["\ud800"]', "surrogate"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "too deeply"),
        (b"[" * 100_000, "too deeply"),
    ],
)
def test_a_malformed_body_is_refused(body: bytes, reason: str) -> None:
    with pytest.raises(MalformedJson, match=reason):
        loads(body)


def test_the_limits_themselves_are_accepted() -> None:
    assert loads(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert loads(b"[" + b"[]," * 50 + b"[]]") == [[]] * 51
    assert loads(rb'["\ud83d\ude00", "\\u0000"]') == ["\U0001f600", "\\u0000"]


def test_the_body_of_djangos_own_request_is_read_once_and_stays() -> None:
    request = RequestFactory().post("/", b'{"a": 1}', content_type="application/json")
    assert read_bytes(request, 8) == b'{"a": 1}'
    assert read_bytes(request, 8) == request.body == b'{"a": 1}'
    with pytest.raises(BodyTooLarge):
        read_bytes(request, 7)

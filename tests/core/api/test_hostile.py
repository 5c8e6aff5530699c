"""Send broken and hostile bodies: each is refused with its code, and none causes an error."""

import json

import pytest
from django.test import RequestFactory

from core.api.errors import LengthRequired, MalformedJson
from core.api.parsing import check_size, loads
from core.kernel.documents import MAX_DEPTH
from core.premises.models import Suspension
from tests.support import factories
from tests.support.api import Api, places, refused, terminal_api


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"{}{}",
        b"[1,]",
        b"{'a': 1}",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b"\xff\xfe",
        b'{"a": "\xc3\x28"}',
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "b": 1}}',
        b'{"a": "\\u0000"}',
        b'{"\\u0000": 1}',
        b'{"a": "\\ud800"}',
        b'{"a": ["\\udfff"]}',
        b'{"a": "x\x00y"}',
        b"[" * 100_000,
        b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
        b"1" * 10_000,
        b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1),
    ],
    ids=lambda body: repr(body[:20]),
)
def test_what_is_not_one_json_document(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        loads(body)


@pytest.mark.parametrize(
    "value",
    [
        None,
        5,
        "text",
        [],
        {},
        "\\u0000 written out",
        "😀 pair",
        "è",
        2**70,
        1.5,
        [[[1], [2]]] * 40,
        {"legs": [[1, 2]] * 100},
    ],
)
def test_what_is(value: object) -> None:
    for ascii_only in (True, False):
        assert loads(json.dumps(value, ensure_ascii=ascii_only).encode()) == value


def test_depth_is_counted_exactly() -> None:
    nested: object = 1
    for _ in range(MAX_DEPTH):
        nested = [nested]
    assert loads(json.dumps(nested).encode()) == nested
    with pytest.raises(MalformedJson):
        loads(json.dumps({"a": nested}).encode())


@pytest.mark.django_db
class TestThroughTheApi:
    path = "suspensions"

    @pytest.mark.parametrize(
        ("body", "status", "code"),
        [
            (b"{", 400, "malformed_json"),
            (b"\xff", 400, "malformed_json"),
            (b"[" * 60_000, 400, "malformed_json"),
            (b'{"code": "\\u0000"}', 400, "malformed_json"),
            (b"[]", 422, "fields_invalid"),
            (b"null", 422, "fields_invalid"),
            (b"5", 422, "fields_invalid"),
            (b" " * 70_000, 413, "body_too_large"),
        ],
        ids=lambda value: repr(value[:12]) if isinstance(value, bytes) else None,
    )
    def test_bodies(self, organiser: Api, body: bytes, status: int, code: str) -> None:
        problem = refused(organiser.raw(self.path, body), status, code)
        if code == "body_too_large":
            assert problem["data"] == {"limit_bytes": 65_536, "length_bytes": 70_000}
        assert not Suspension.objects.exists()

    @pytest.mark.parametrize(
        "content_type",
        ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "x"],
    )
    def test_other_media_types(self, organiser: Api, content_type: str) -> None:
        response = organiser.raw(self.path, b"a=1", content_type)
        refused(response, 415, "unsupported_media_type")

    def test_an_empty_body_misses_every_field(self, organiser: Api) -> None:
        problem = refused(organiser.raw(self.path, b""), 422, "fields_invalid")
        assert set(places(problem).values()) == {"required"}

    def test_an_oversized_body_is_refused_before_credentials_are_looked_at(
        self, anybody: Api
    ) -> None:
        refused(anybody.raw(self.path, b" " * 70_000), 413, "body_too_large")

    def test_a_body_in_chunks_is_not_taken_for_an_empty_one(self, rf: RequestFactory) -> None:
        request = rf.generic("POST", "/api/v1/premises", HTTP_TRANSFER_ENCODING="chunked")
        request.META.pop("CONTENT_LENGTH", None)
        with pytest.raises(LengthRequired):
            check_size(request, 100)

    def test_only_unknown_fields_have_a_code_of_their_own(self, organiser: Api) -> None:
        body = {"reason": "Fire alarm.", "price": 1, "x" * 500: 1}
        problem = refused(organiser.post(self.path, body), 422, "unknown_field")
        assert places(problem) == {"$.price": "unknown_field", "$." + "x" * 100: "unknown_field"}
        assert not Suspension.objects.exists()

    def test_an_accept_header_that_nothing_fits(self, organiser: Api) -> None:
        organiser.headers["Accept"] = "image/png"
        refused(organiser.get(self.path), 406, "not_acceptable")

    @pytest.mark.parametrize(
        "path",
        [
            "premises/%00",
            "premises/%ED%A0%80",
            "premises/a%0Ab",
            "terminals/%00/revocation",
            "authorisations/99999999999999999999999/end",
        ],
    )
    def test_paths_that_name_nothing(self, organiser: Api, path: str) -> None:
        response = organiser.get(path) if path.startswith("premises") else organiser.post(path)
        assert response.status_code == 404
        assert response.json()["code"] in ("route_unknown", "premises_unknown")

    def test_a_query_string_with_rubbish(self, auditor: Api) -> None:
        for value in ("\x00", "\ud800".encode("utf-8", "surrogatepass").decode("latin-1"), "\x1b"):
            refused(auditor.get("ledger/accounts", prefix=value), 422, "fields_invalid")

    def test_headers_with_rubbish(self) -> None:
        point = factories.point()
        api = terminal_api(point)
        api.headers["X-Operator-Session"] = "é" * 300
        refused(api.delete("terminal/session"), 401, "operator_session_unknown")
        api.headers["Authorization"] = "Terminal " + "é" * 20
        refused(api.get("terminal"), 401, "terminal_unknown")

"""Every error as one form: categories, the framework's own, the database's, and the unexpected."""

import json
from typing import Any

import psycopg
import pytest
from django.conf import LazySettings
from django.core.exceptions import BadRequest, PermissionDenied, RequestDataTooBig
from django.db import DatabaseError, DataError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest
from django.test import Client, RequestFactory
from django.utils import translation
from rest_framework import exceptions as drf
from rest_framework import serializers

from core.api import catalogue, errors, problems
from core.kernel.errors import (
    Conflict,
    DomainError,
    Forbidden,
    Invalid,
    InvariantBroken,
    NotFound,
    Unauthenticated,
    Unavailable,
)
from tests.support.api import Api, LogText, refused

STATUS = {
    Invalid: 422,
    Unauthenticated: 401,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    Unavailable: 503,
    InvariantBroken: 500,
}
OF_ITS_OWN = {
    "bad_request": 400,
    "malformed_json": 400,
    "method_not_allowed": 405,
    "misdirected": 421,
    "not_acceptable": 406,
    "length_required": 411,
    "body_too_large": 413,
    "unsupported_media_type": 415,
    "throttled": 429,
}


@pytest.fixture
def request_(rf: RequestFactory) -> HttpRequest:
    answer: HttpRequest = rf.get("/api/v1/anything")
    vars(answer)["request_id"] = "abcdefgh"
    return answer


@pytest.mark.parametrize("kind", catalogue.classes(), ids=lambda kind: kind.code)
def test_every_class_of_errors(kind: type[DomainError], request_: HttpRequest) -> None:
    with translation.override("en"):
        response = problems.answer(_instance(kind), request_)
    category = next((base for base in kind.__mro__ if base in STATUS), None)
    status = OF_ITS_OWN.get(kind.code, STATUS[category] if category else 500)
    body = refused(response_like(response), status, kind.code)
    assert body["title"] == kind.message
    assert body["transient"] is kind.transient
    assert body["request_id"] == "abcdefgh"
    assert body["instance"] == "/api/v1/anything"
    assert len(kind.message) < 200


def _instance(kind: type[DomainError]) -> DomainError:
    """An instance, also of classes whose constructor asks for more."""
    error = kind.__new__(kind)
    DomainError.__init__(error)
    return error


def response_like(response: Any) -> Any:
    response.json = lambda: json.loads(response.content)
    return response


def test_data_are_shown_except_where_something_broke(request_: HttpRequest) -> None:
    answer = problems.answer(Conflict("Twice.", uuid="1", roles={"b", "a"}), request_)
    body = json.loads(answer.content)
    assert body["detail"] == "Twice."
    assert body["data"] == {"uuid": "1", "roles": ["a", "b"]}
    hidden = problems.answer(InvariantBroken("Account X holds 5.", account="X"), request_)
    assert b"X" not in hidden.content


def test_titles_are_in_the_language_of_the_request(anybody: Api) -> None:
    titles = {
        language: Api(**{"Accept-Language": language}).get("nowhere").json()["title"]
        for language in ("en", "xx")
    }
    assert titles["en"] == errors.RouteUnknown.message
    assert anybody.get("nowhere").headers["Content-Language"] == "ca"


def _caused(kind: type[Exception], cause: psycopg.Error) -> Exception:
    error = kind("text of the server")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("exc", "status", "code"),
    [
        (drf.ParseError(), 400, "malformed_json"),
        (drf.UnsupportedMediaType("text/plain"), 415, "unsupported_media_type"),
        (drf.NotAcceptable(), 406, "not_acceptable"),
        (drf.MethodNotAllowed("PUT"), 405, "method_not_allowed"),
        (drf.Throttled(wait=7), 429, "throttled"),
        (drf.NotAuthenticated(), 401, "credentials_missing"),
        (drf.PermissionDenied(), 403, "forbidden"),
        (drf.NotFound(), 404, "route_unknown"),
        (drf.APIException(), 500, "internal_error"),
        (Http404(), 404, "route_unknown"),
        (PermissionDenied(), 403, "forbidden"),
        (RequestDataTooBig(), 413, "body_too_large"),
        (BadRequest(), 400, "bad_request"),
        (_caused(OperationalError, psycopg.errors.LockNotAvailable()), 503, "busy"),
        (_caused(OperationalError, psycopg.errors.DeadlockDetected()), 503, "busy"),
        (_caused(OperationalError, psycopg.errors.QueryCanceled()), 503, "busy"),
        (_caused(OperationalError, psycopg.errors.AdminShutdown()), 503, "unavailable"),
        (_caused(OperationalError, psycopg.errors.TooManyConnections()), 503, "unavailable"),
        (_caused(OperationalError, psycopg.OperationalError("gone")), 503, "unavailable"),
        # The server died while it answered, as it does when its log finds no room.
        (_caused(DatabaseError, psycopg.DatabaseError("server closed the")), 503, "unavailable"),
        (psycopg.DatabaseError("server closed the"), 503, "unavailable"),
        (DatabaseError("Save with update_fields did not affect"), 500, "internal_error"),
        (_caused(InterfaceError, psycopg.InterfaceError("closed")), 503, "unavailable"),
        (_caused(DataError, psycopg.errors.NumericValueOutOfRange()), 500, "internal_error"),
        (ZeroDivisionError("secret"), 500, "internal_error"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_exceptions_that_are_nobodys_domain(
    exc: Exception, status: int, code: str, request_: HttpRequest
) -> None:
    response = problems.answer(exc, request_)
    body = refused(response_like(response), status, code)
    assert body["transient"] is (status in (429, 503))
    assert b"secret" not in response.content
    assert b"text of the server" not in response.content


def test_a_title_is_translated(request_: HttpRequest) -> None:
    assert translation.gettext(Conflict.message)
    with translation.override("ca"):
        body = json.loads(problems.answer(Http404(), request_).content)
    assert body["title"] == body["detail"]


class _Runner(serializers.Serializer[Any]):
    number = serializers.IntegerField()


class _Race(serializers.Serializer[Any]):
    runners = _Runner(many=True)
    marks = serializers.ListField(child=serializers.IntegerField())


class _Meeting(serializers.Serializer[Any]):
    races = _Race(many=True)


def test_every_field_error_has_its_place() -> None:
    place = _Meeting(
        data={
            "races": [
                {"runners": [{"number": 1}], "marks": [1]},
                {"runners": [{"number": 1}, {"number": "x"}, {}], "marks": [1, "y"]},
                {"runners": 5},
                7,
            ]
        }
    )
    assert not place.is_valid()
    error = problems.fields_invalid(place.errors)
    assert {e["place"]: e["code"] for e in error.data["errors"]} == {
        "$.races[1].runners[1].number": "invalid",
        "$.races[1].runners[2].number": "required",
        "$.races[1].marks[1]": "invalid",
        "$.races[2].runners": "not_a_list",
        "$.races[2].marks": "required",
        "$.races[3]": "invalid",
    }


@pytest.mark.django_db
class TestBeforeAnyView:
    def test_unknown_addresses(self, anybody: Api, client: Client) -> None:
        refused(anybody.get("nowhere"), 404, "route_unknown")
        elsewhere = client.get("/elsewhere")
        assert elsewhere.status_code == 404
        assert elsewhere.headers["Content-Type"].startswith("text/html")

    def test_a_foreign_host(self, settings: LazySettings) -> None:
        settings.ALLOWED_HOSTS = ["lototrot.example"]
        api = Api(Host="evil.example")
        refused(api.get("clock"), 400, "bad_request")

    def test_methods(self, organiser: Api) -> None:
        response = organiser.delete("premises")
        refused(response, 405, "method_not_allowed")
        assert response.headers["Allow"] == "GET, HEAD, POST"

    def test_a_fault_anywhere_answers_without_a_leak(
        self, anybody: Api, monkeypatch: pytest.MonkeyPatch, log_text: LogText
    ) -> None:
        def broken(*_: object) -> None:
            raise RuntimeError("the word is swordfish")

        monkeypatch.setattr("core.database.clock.offset", broken)
        response = anybody.get("clock")
        body = refused(response, 500, "internal_error")
        assert "swordfish" not in response.content.decode()
        (line,) = log_text.events("fault")
        assert line["request_id"] == body["request_id"]
        assert line["exception"] == "builtins.RuntimeError"
        assert line["message"] == "the word is swordfish"
        assert any("clock.py" in place for place in line["trace"])

    def test_what_a_problem_type_points_to(self, anybody: Api) -> None:
        kind = refused(anybody.get("nowhere"), 404, "route_unknown")["type"]
        answer = anybody.get(kind.removeprefix("/api/v1/")).json()
        assert (answer["code"], answer["status"], answer["transient"]) == (
            "route_unknown",
            404,
            False,
        )
        listed = anybody.get("problems").json()["items"]
        assert [p["code"] for p in listed] == sorted(catalogue.entries())
        refused(anybody.get("problems/nothing"), 404, "problem_unknown")

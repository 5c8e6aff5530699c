"""A hot path has the answer and the headers that the whole road gives."""

import io
import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_started
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory
from django.urls import Resolver404, get_resolver, resolve

from core.api.views import LeanView
from core.config import hot_paths
from core.config.hot_paths import Handler, is_hot
from core.config.one_write import in_one_write
from core.config.routes import _flat
from core.premises.requests import new_uuid
from tests.support import factories

SALE = "/api/v1/lototrot/tickets"
# They differ with every answer.
OWN = {"X-Request-Id", "X-Server-Time"}


@pytest.fixture(params=["hot", "whole"])
def road(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    if request.param == "whole":
        monkeypatch.setattr(hot_paths, "is_hot", lambda _match: False)
    yield request.param


def asked(path: str, body: dict[str, Any], **headers: str) -> tuple[int, dict[str, str], Any]:
    answer = Client().post(path, body, content_type="application/json", headers=headers)
    kept = {name: value for name, value in answer.headers.items() if name not in OWN}
    content = answer.json()
    content.pop("request_id", None)
    return answer.status_code, kept, content


def test_the_views_of_hot_paths_ask_for_a_terminal() -> None:
    """The limits need not ask such a view what it costs strangers."""
    hot = [
        pattern.callback.view_class
        for _, pattern in _flat(get_resolver().url_patterns[:1], "")
        if issubclass(getattr(pattern.callback, "view_class", object), LeanView)
    ]
    assert len(hot) >= 3
    assert all(view.for_terminals and view.asks_credentials for view in hot)
    assert is_hot(resolve(SALE)) and not is_hot(resolve("/api/v1/staff/sessions"))


def test_an_address_with_a_uuid_is_found_again_with_the_next_one() -> None:
    paths = hot_paths.HotPaths(lambda _: HttpResponse())
    plays = "/api/v1/promotrot/plays"
    for _ in range(3):
        ident = str(uuid4())
        for path in (f"{plays}/{ident}/acts", f"{plays}/{ident}/acts/", f"{plays}/{ident}x/acts"):
            match = paths._match(RequestFactory().post(path))
            try:
                whole = resolve(path)
            except Resolver404:
                assert match is None
                continue
            assert match is not None and match.kwargs == {"ident": UUID(ident)}
            assert vars(match) == vars(whole)
    assert paths._match(RequestFactory().post(f"{plays}/{ident.upper()}/acts")) is None
    assert paths._match(RequestFactory().post(f"/api/v1/vouchers/{ident}/acts")) is None
    assert len(paths._of_uuid) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    "headers",
    [{}, {"Accept-Language": "en"}, {"Accept-Language": "es", "Cookie": "django_language=en"}],
)
def test_refusals_are_alike_in_every_language(
    headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hot = [
        asked(SALE, {}, **headers),
        asked(SALE, {"uuid": 1}, Authorization="Terminal x", **headers),
    ]
    monkeypatch.setattr(hot_paths, "is_hot", lambda _match: False)
    whole = [
        asked(SALE, {}, **headers),
        asked(SALE, {"uuid": 1}, Authorization="Terminal x", **headers),
    ]
    assert hot == whole
    assert [status for status, _, _ in hot] == [401, 422]


@pytest.mark.django_db
def test_a_sale_has_the_same_headers_on_both_roads(road: str) -> None:
    contest, point = factories.contest(), factories.point()
    factories.acknowledge(contest, point)
    status, headers, ticket = asked(
        SALE,
        {
            "uuid": str(new_uuid()),
            "contest": contest.pk,
            "price_cents": contest.price_cents,
            "amount_cents": contest.price_cents,
            "races": [[1]] * 7,
        },
        Authorization=f"Terminal {point.token}",
        **{"X-Operator-Session": point.session_token},
    )
    assert status == 201 and ticket["code"]
    length = headers.pop("Content-Length")
    assert int(length) > 500
    assert headers == {
        "Content-Type": "application/json",
        "Vary": "Accept-Language",
        "Content-Language": "ca",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }


@pytest.mark.django_db
def test_a_host_that_is_not_ours_is_refused(road: str) -> None:
    answer = Client().post(
        SALE, {}, content_type="application/json", headers={"Host": "evil.example"}
    )
    assert answer.status_code == 400


@pytest.mark.django_db
def test_other_methods_and_addresses_take_the_whole_road() -> None:
    assert Client().get(SALE).status_code == 405
    assert Client().post("/api/v1/nowhere").status_code == 404


Given = tuple[str, dict[str, str], bytes]


def answer_of(
    handler: WSGIHandler,
    method: str,
    path: str,
    *,
    body: bytes = b"{}",
    scheme: str = "http",
    host: str = "testserver",
) -> Given:
    """Return what a handler gives a WSGI server: status, headers that are alike, and the body."""
    environ = RequestFactory().generic(method, path, body, content_type="application/json").environ
    began: list[Any] = []
    parts = in_one_write(handler)(
        environ | {"wsgi.input": io.BytesIO(body), "wsgi.url_scheme": scheme, "HTTP_HOST": host},
        lambda *each: began.extend(each),
    )
    content = b"".join(parts)
    if content.startswith(b"{"):
        content = json.dumps(json.loads(content) | {"request_id": ""}).encode()
    return began[0], {name: value for name, value in began[1] if name not in OWN}, content


@pytest.fixture
def looked_after(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note each look at a connection, without closing that of the test."""
    looks: list[str] = []
    monkeypatch.setattr(
        BaseDatabaseWrapper,
        "close_if_unusable_or_obsolete",
        lambda wrapper: looks.append(wrapper.alias),
    )
    return looks


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", SALE, "401 Unauthorized"),
        ("POST", "/api/v1/nowhere", "404 Not Found"),
        ("POST", "/api/v1/staff/sessions", "422 Unprocessable Entity"),
        ("GET", SALE, "405 Method Not Allowed"),
        ("GET", "/livez", "200 OK"),
    ],
)
def test_our_handler_gives_what_that_of_django_gives(
    method: str, path: str, status: str, looked_after: list[str]
) -> None:
    """So does it look after the thread's connections: one that broke is not asked again."""
    ours = answer_of(Handler(), method, path)
    assert "default" in looked_after
    assert ours == answer_of(WSGIHandler(), method, path)
    assert ours[0] == status


@pytest.mark.django_db
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("redirect", [False, True])
def test_security_has_the_same_answer_on_both_roads(
    scheme: str, redirect: bool, looked_after: list[str], settings: LazySettings
) -> None:
    settings.SECURE_HSTS_SECONDS, settings.SECURE_SSL_REDIRECT = 60, redirect
    for path in (SALE, "/api/v1/staff/sessions"):
        ours = answer_of(Handler(), "POST", path, scheme=scheme)
        assert ours == answer_of(WSGIHandler(), "POST", path, scheme=scheme)
        assert ours[0].startswith("301") is (redirect and scheme == "http")
        assert ("Strict-Transport-Security" in ours[1]) is (scheme == "https")


@pytest.mark.django_db
def test_a_header_of_the_answer_is_not_given_twice(
    looked_after: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = Handler()
    answer = HttpResponse(headers={"referrer-policy": "no-referrer"})
    monkeypatch.setattr(handler, "_behind", lambda _request: answer)
    _, headers, _ = answer_of(handler, "POST", SALE)
    assert {name.lower(): value for name, value in headers.items()} == {
        "content-type": "text/html; charset=utf-8",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
    }


@pytest.mark.django_db
def test_a_host_that_was_ours_is_asked_about_again_when_our_names_change(
    settings: LazySettings, looked_after: list[str]
) -> None:
    handler = Handler()
    settings.ALLOWED_HOSTS = ["shop.example"]
    assert answer_of(handler, "POST", SALE, host="shop.example")[0].startswith("401")
    assert answer_of(handler, "POST", SALE, host="shop.example")[0].startswith("401")
    settings.ALLOWED_HOSTS = ["other.example"]
    assert answer_of(handler, "POST", SALE, host="shop.example")[0].startswith("400")
    assert answer_of(handler, "POST", SALE, host="evil.example")[0].startswith("400")


@pytest.mark.django_db
def test_signals_are_sent_but_for_what_programs_post(
    looked_after: list[str], settings: LazySettings
) -> None:
    paths: list[str] = []

    def receiver(environ: dict[str, Any], **_: Any) -> None:
        paths.append(environ["PATH_INFO"])

    request_started.connect(receiver)
    try:
        answer_of(Handler(), "POST", SALE)
        answer_of(Handler(), "GET", SALE)
        assert paths == [SALE]
        settings.DEBUG = True  # then queries are kept, which the signal drops
        answer_of(Handler(), "POST", SALE)
        assert paths == [SALE, SALE]
    finally:
        request_started.disconnect(receiver)


@pytest.mark.django_db
def test_what_is_streamed_is_closed_by_the_server(
    looked_after: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    handler = Handler()
    streamed = StreamingHttpResponse([b"one", b"two"])
    monkeypatch.setattr(handler, "_behind", lambda _request: streamed)
    environ = RequestFactory().post(SALE).environ
    answer = in_one_write(handler)(environ, lambda *_: None)
    assert answer is streamed and not streamed.closed
    streamed.close()
    assert streamed.closed

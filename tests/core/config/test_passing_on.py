"""Pass on what needs the seeds: to whom, what is sent, and what if nobody is there."""

import http.server
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import resolve, reverse

from core.config.passing_on import passing_on
from core.kernel.holding import needs_seeds
from core.tools.embedded.web import free_port
from tests.support.processes.listening import listening


class _Dealer(http.server.BaseHTTPRequestHandler):
    asked: list[tuple[str, str, dict[str, str], bytes]]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.asked.append((self.command, self.path, dict(self.headers), body))
        self.send_response(201)
        self.send_header("Set-Cookie", "one=1")
        self.send_header("Set-Cookie", "two=2")
        self.send_header("Content-Length", "4")
        self.end_headers()
        self.wfile.write(b"done")


@pytest.fixture
def dealer() -> Iterator[str]:
    _Dealer.asked = []
    with listening(_Dealer) as address:
        yield address


def here(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    start_response("200 OK", [])
    return [b"here"]


def ask(dealer: str, path: str, **more: Any) -> tuple[str, list[tuple[str, str]], bytes]:
    response: list[Any] = []
    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": path, "REMOTE_ADDR": "192.0.2.7", **more}
    body = b"".join(passing_on(here, dealer)(environ, lambda *words: response.extend(words)))
    return response[0], response[1], body


@pytest.mark.parametrize(
    ("path", "is_passed"),
    [
        ("/api/v1/promotrot/plays", True),
        ("/admin/promotrot/emission/1/change/", True),
        ("/api/v1/proposals/0/confirmation", True),
        ("/admin/staff/proposal/1/change/", True),
        ("/admin/nights/night/", True),
        ("/api/v1/promotrot/public/emissions", False),
        ("/api/v1/lototrot/tickets", False),
        ("/admin/staff/user/", False),
        ("/check", False),
    ],
)
def test_what_needs_the_seeds_is_passed_on_and_nothing_else(path: str, is_passed: bool) -> None:
    assert needs_seeds(path) == is_passed


def test_the_addresses_are_those_of_the_screens_that_decide_and_run_nights() -> None:
    for name in ("staff_proposal_changelist", "nights_jobrun_changelist"):
        assert needs_seeds(reverse(f"admin:{name}"))
    ident = "00000000-0000-0000-0000-000000000000"
    for path in (f"/api/v1/proposals/{ident}/confirmation", "/api/v1/nights"):
        assert resolve(path) and needs_seeds(path)


def test_a_request_arrives_as_it_was_sent(dealer: str) -> None:
    sent: dict[str, Any] = {
        "QUERY_STRING": "a=1&b=%C3%A9",
        "HTTP_HOST": "trot.example",
        "HTTP_AUTHORIZATION": "Terminal x",
        "HTTP_CONNECTION": "keep-alive",
        "HTTP_X_FORWARDED_FOR": "10.0.0.1",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": "2",
        "wsgi.input": io.BytesIO(b"{}and more"),
    }
    path = "/api/v1/promotrot/pl\u00c3\u00a9ys"
    status, headers, body = ask(dealer, path, **sent)
    assert (status, body) == ("201 Created", b"done")
    assert [value for name, value in headers if name == "Set-Cookie"] == ["one=1", "two=2"]
    ((method, target, request_headers, content),) = _Dealer.asked
    assert (method, content) == ("POST", b"{}")
    assert target == "/api/v1/promotrot/pl%C3%A9ys?a=1&b=%C3%A9"
    lowered = {name.lower(): value for name, value in request_headers.items()}
    assert lowered == {
        "host": "trot.example",
        "authorization": "Terminal x",
        "content-type": "application/json",
        "content-length": "2",
        "x-forwarded-for": "192.0.2.7",  # of the connection, not what a client invents
    }
    assert ask(dealer, "/check")[2] == b"here"
    assert len(_Dealer.asked) == 1


def test_without_the_process_it_is_refused_for_now() -> None:
    status, headers, body = ask(f"http://127.0.0.1:{free_port()}", "/api/v1/promotrot/plays")
    assert status == "503 Service Unavailable"
    assert dict(headers)["Content-Type"] == "application/problem+json"
    assert json.loads(body)["code"] == "unavailable"

"""The demonstration's client: problems, pages, and sessions that are renewed."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from core.tools.raceday.api import SERVER_CLOCK, Api, ApiProblem
from tests.support.factories.request_uuids import made_at
from tests.support.processes.listening import listening

SERVER_TIME = "2031-04-05T16:00:00.250000Z"
ITEMS = [{"id": 1}, {"id": 2}, {"id": 3}]


class Answers(BaseHTTPRequestHandler):
    """Answers as the API does; only the token `new` is good."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path.startswith("/api/v1/private") and self.headers["Authorization"] != "new":
            self._answer(401, {"code": "operator_session_expired"}, "application/problem+json")
        elif self.path == "/api/v1/list?cursor=2":
            self._answer(200, {"items": ITEMS[2:], "next": ""})
        elif self.path == "/api/v1/list":
            self._answer(200, {"items": ITEMS[:2], "next": "2"})
        else:
            self._answer(200, {"path": self.path})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body.get("wrong"):
            problem = {"code": "contest_closed", "detail": "Too late.", "data": {"contest": 1}}
            self._answer(409, problem, "application/problem+json")
        else:
            self._answer(200, body)

    def _answer(self, status: int, body: Any, kind: str = "application/json") -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("X-Server-Time", SERVER_TIME)
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def url() -> Iterator[str]:
    with listening(Answers) as address:
        yield address


def test_answers_are_read_and_lists_are_read_to_their_end(url: str) -> None:
    api = Api(url)
    assert api.get("clock", limit=2) == {"path": "/api/v1/clock?limit=2"}
    assert api.post("echo", {"a": 1}) == {"a": 1}
    assert list(api.pages("list")) == ITEMS


def test_a_refusal_is_an_error_with_its_code(url: str) -> None:
    with pytest.raises(ApiProblem, match=r"409 contest_closed: Too late\.") as refusal:
        Api(url).post("lototrot/tickets", {"wrong": True})
    assert refusal.value.code == "contest_closed"
    assert refusal.value.problem["data"] == {"contest": 1}


def test_a_connection_ends_with_its_caller(url: str) -> None:
    api = Api(url)
    assert api.get("clock")
    link = api._link
    assert link.sock is not None
    del api
    assert link.sock is None


def test_an_ended_session_is_renewed_once_and_the_request_sent_again(url: str) -> None:
    sign_ons: list[str] = []

    def sign_on() -> dict[str, str]:
        sign_ons.append("again")
        return {"Authorization": "new"}

    api = Api(url, {"Authorization": "old"}, sign_on)
    assert api.get("private") == {"path": "/api/v1/private"}
    assert api.twin().get("private") == {"path": "/api/v1/private"}
    assert sign_ons == ["again"]


def test_a_session_that_cannot_be_renewed_is_refused(url: str) -> None:
    with pytest.raises(ApiProblem, match="operator_session_expired"):
        Api(url, {"Authorization": "old"}).get("private")
    with pytest.raises(ApiProblem, match="operator_session_expired"):
        Api(url, {}, lambda: {"Authorization": "old"}).get("private")


def test_a_request_has_the_servers_time_in_its_uuid(url: str) -> None:
    Api(url).get("anything")
    ident, later = SERVER_CLOCK.request_uuid(), SERVER_CLOCK.request_uuid()
    assert ident.version == 7 and ident != later
    assert made_at(ident).isoformat()[:16] == SERVER_TIME[:16]  # its year, and to the minute
    with pytest.raises(ApiProblem):  # a refusal tells the time, too
        Api(url).post("anything", {"wrong": True})
    SERVER_CLOCK.hear(None)  # an answer from a proxy
    assert made_at(SERVER_CLOCK.request_uuid()).year == 2031

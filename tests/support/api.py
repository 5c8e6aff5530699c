"""Call the API as its users do, with real tokens and real JSON."""

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from django.test import Client

from core.api import logs, metrics, problems
from core.config import health
from core.database import clock
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import session_start
from core.tools.raceday.key import TerminalKey
from tests.support import factories


class Api:
    """Requests under /api/v1/ with one caller's headers."""

    def __init__(self, **headers: str) -> None:
        self.headers = headers
        self._client = Client(raise_request_exception=False)

    def get(self, path: str, **query: Any) -> Any:
        return self._client.get(f"/api/v1/{path}", query, headers=self.headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.raw(path, json.dumps({} if body is None else body), **headers)

    def raw(
        self, path: str, body: str | bytes, content_type: str = "application/json", **headers: str
    ) -> Any:
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._client.post(
            f"/api/v1/{path}", body, content_type=content_type, headers={**self.headers, **more}
        )

    def prove(self, path: str, body: Any, *, key: TerminalKey = factories.KEY) -> Any:
        """Send a request that the key of the terminal signs."""
        text = json.dumps(body)
        token = self.headers["Authorization"].removeprefix("Terminal ")
        proof = key.prove(f"/api/v1/{path}", token, text.encode())
        return self.raw(path, text, **proof)

    def delete(self, path: str) -> Any:
        return self._client.delete(f"/api/v1/{path}", headers=self.headers)


def staff_api(*roles: Role, **headers: str) -> Api:
    """Return a client for a member of staff with the roles, signed on."""
    user = User.objects.get(pk=factories.staff(*roles).user_id)
    _session, token = session_start(user=user, verified=True)
    return Api(Authorization=f"Bearer {token}", **headers)


def terminal_api(point: factories.Point, *, signed_on: bool = True) -> Api:
    session = {"X-Operator-Session": point.session_token} if signed_on else {}
    return Api(Authorization=f"Terminal {point.token}", **session)


def refused(response: Any, status: int, code: str) -> dict[str, Any]:
    """Check the form of a problem in a response, and return it."""
    assert response.headers["Content-Type"] == "application/problem+json", response.content
    problem: dict[str, Any] = response.json()
    assert (response.status_code, problem["status"], problem["code"]) == (status, status, code)
    assert problem["type"].endswith(code)
    assert problem["title"]
    assert problem["detail"]
    assert ("WWW-Authenticate" in response.headers) == (status == 401)
    assert ("Retry-After" in response.headers) == (status in (429, 503))
    return problem


def places(problem: dict[str, Any]) -> dict[str, str]:
    """Return the code of each faulty field by its JSON place."""
    return {error["place"]: error["code"] for error in problem["data"]["errors"]}


class LogText(io.StringIO):
    """The lines logged since the fixture began."""

    def events(self, name: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.getvalue().splitlines()]
        return [line for line in lines if line["event"] == name]


@pytest.fixture
def log_text(monkeypatch: pytest.MonkeyPatch) -> Iterator[LogText]:
    """Yield the log of our code and of libraries, configured as in any process."""
    text = LogText()
    with monkeypatch.context() as patched:
        patched.setattr("sys.stderr", text)
        logs.configure()
        for module in (health, metrics, problems):
            # A logger keeps the stream of its first line.
            patched.setattr(module, "log", structlog.get_logger())
        yield text
    logs.configure()


@pytest.fixture(autouse=True)
def _fresh_clock() -> None:
    clock.forget_recent()


@pytest.fixture
def organiser(db: None) -> Api:
    return staff_api(Role.ORGANISER)


@pytest.fixture
def steward(db: None) -> Api:
    return staff_api(Role.STEWARDS)


@pytest.fixture
def auditor(db: None) -> Api:
    return staff_api(Role.AUDITOR)


@pytest.fixture
def administrator(db: None) -> Api:
    return staff_api(Role.ADMINISTRATOR)


@pytest.fixture
def anybody(db: None) -> Api:
    return Api()

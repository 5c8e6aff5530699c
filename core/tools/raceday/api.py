"""A client of the public HTTP API, as an integrator would write it from docs/api.md."""

import http.client
import json
import time
import uuid
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

import pyotp

PREFIX = "/api/v1/"
TIMEOUT_S = 300  # a month of nights is one request
KEPT_S = 2
"""A connection idle for longer may just be closed by the server."""


class ApiProblem(Exception):
    """The API refused: its stable `code`, the HTTP status and the whole problem document."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.code = str(problem.get("code", ""))
        super().__init__(f"{status} {self.code}: {problem.get('detail', '')} {problem.get('data')}")


class Api:
    """One caller with its credentials, over one connection that is kept. Not for two threads."""

    def __init__(self, base_url: str, headers: Mapping[str, str] | None = None) -> None:
        self.base_url = base_url
        self.headers = dict(headers or {})
        address = urlsplit(base_url)
        self._link = http.client.HTTPConnection(address.netloc, timeout=TIMEOUT_S)
        self._used = 0.0

    def staff(self, username: str, password: str, secret: str = "") -> "Api":
        """The same API, signed on as a member of staff, whose device has the `secret`."""
        body = {"username": username, "password": password}
        if secret:
            body["code"] = self.one_time_code(secret)
        session = self.post("staff/sessions", body)
        return Api(self.base_url, {"Authorization": f"Bearer {session['token']}"})

    def second_factor(self) -> str:
        """Set up the second factor of the person signed on; the secret of their device."""
        secret = str(self.post("staff/second-factor")["secret"])
        self.post("staff/second-factor/confirmation", {"code": self.one_time_code(secret)})
        return secret

    def one_time_code(self, secret: str) -> str:
        """What the device shows, at the time of the server."""
        return pyotp.TOTP(secret).at(datetime.fromisoformat(self.get("clock")["now"]))

    def get(self, path: str, **query: Any) -> Any:
        return json.loads(self.raw("GET", path, query=query))

    def post(self, path: str, body: Any = None, *, key: uuid.UUID | None = None) -> Any:
        """The answer to a POST; None where it has no content."""
        headers = {"Idempotency-Key": str(key)} if key else {}
        content = json.dumps({} if body is None else body).encode()
        answer = self.raw("POST", path, content, {"Content-Type": "application/json", **headers})
        return json.loads(answer) if answer else None

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Every item of a list, page by page."""
        cursor: dict[str, Any] = {}
        while True:
            page = self.get(path, **query, **cursor)
            yield from page["items"]
            if not page["next"]:
                return
            cursor = {"cursor": page["next"]}

    def raw(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
    ) -> bytes:
        """The bytes of a good answer. Raises ApiProblem for any other."""
        target = PREFIX + path + ("?" + urlencode(query) if query else "")
        if time.monotonic() - self._used > KEPT_S:
            self._link.close()  # the next request opens it again
        self._used = time.monotonic()
        self._link.request(method, target, body, {**self.headers, **(headers or {})})
        response = self._link.getresponse()
        content = response.read()
        if response.status >= 400:
            is_problem = "problem+json" in response.getheader("Content-Type", "")
            raise ApiProblem(response.status, json.loads(content) if is_problem else {})
        return content

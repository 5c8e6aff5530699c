"""Call the public HTTP API by a client written as an integrator would, from docs/api.md."""

import http.client
import json
import secrets
import time
import uuid
import weakref
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode, urlsplit

import pyotp

from core.kernel import request_uuids

PREFIX = "/api/v1/"
TIMEOUT_S = 300  # a month of nights is one request
WAIT_S, MOST_WAITS = 1.0, 60
"""Between tries of what the proxy's limits refused, which is transient."""
KEPT_S = 2
"""The server may close a connection that is idle for longer."""


class ServerClock:
    """The server's time as its newest answer told it; this machine's before the first answer.

    It may be used by several threads.
    """

    def __init__(self) -> None:
        self._heard = (datetime.now(UTC), time.monotonic())

    def hear(self, header: str | None) -> None:
        """Take the time of an answer, its header X-Server-Time."""
        if header:
            self._heard = (datetime.fromisoformat(header), time.monotonic())

    def request_uuid(self) -> uuid.UUID:
        """Return the UUID of a request that is made now."""
        instant, heard_s = self._heard
        now = instant + timedelta(seconds=time.monotonic() - heard_s)
        return request_uuids.request_uuid(now, secrets.randbits(request_uuids.RANDOM_BITS))


SERVER_CLOCK = ServerClock()
"""One server's, for all the callers of a process: one moves its time, and all have heard it."""


class ApiProblem(Exception):
    """The API refused: its stable `code`, the HTTP status and the problem document."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.problem = problem
        self.code = str(problem.get("code", ""))
        super().__init__(f"{status} {self.code}: {problem.get('detail', '')} {problem.get('data')}")


def connection(base_url: str) -> http.client.HTTPConnection:
    """Return a connection to a server; with TLS, $SSL_CERT_FILE may name whom to believe."""
    address = urlsplit(base_url)
    if address.scheme == "https":
        return http.client.HTTPSConnection(address.netloc, timeout=TIMEOUT_S)
    return http.client.HTTPConnection(address.netloc, timeout=TIMEOUT_S)


class Api:
    """One caller with its credentials, over one connection that is kept. Not for two threads.

    The connection is closed when nobody refers to the caller any more.

    `sign_on` returns the headers of a new session. It is called when the server answers that the
    session has ended (401), and the request is sent once more. `sales_url` is where terminals ask,
    by default here.
    """

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str] | None = None,
        sign_on: Callable[[], Mapping[str, str]] | None = None,
        *,
        sales_url: str = "",
    ) -> None:
        self.base_url = base_url
        self.sales_url = sales_url or base_url
        self.headers = dict(headers or {})
        self._sign_on = sign_on
        self._link = connection(base_url)
        weakref.finalize(self, self._link.close)
        self._used = 0.0

    def staff(self, username: str, password: str, secret: str = "") -> "Api":
        """Sign a member of staff on, whose device has the `secret`; return their API."""
        body = {"username": username, "password": password}
        if secret:
            body["code"] = self.one_time_code(secret)
        session = self.post("staff/sessions", body)
        headers = {"Authorization": f"Bearer {session['token']}"}
        return Api(self.base_url, headers, sales_url=self.sales_url)

    def twin(self) -> "Api":
        """Return the same caller on a connection of its own, for another thread."""
        return Api(self.base_url, self.headers, sales_url=self.sales_url)

    def second_factor(self) -> str:
        """Set up the second factor of the person signed on; return the secret of their device."""
        secret = str(self.post("staff/second-factor")["secret"])
        self.post("staff/second-factor/confirmation", {"code": self.one_time_code(secret)})
        return secret

    def one_time_code(self, secret: str) -> str:
        """Return the code that the device shows at the time of the server."""
        return pyotp.TOTP(secret).at(datetime.fromisoformat(self.get("clock")["now"]))

    def get(self, path: str, **query: Any) -> Any:
        """Return the answer to a GET."""
        return json.loads(self.raw("GET", path, query=query))

    def post(self, path: str, body: Any = None, *, key: uuid.UUID | None = None) -> Any:
        """Return the answer to a POST, None where it has no content."""
        headers = {"Idempotency-Key": str(key)} if key else {}
        content = json.dumps({} if body is None else body).encode()
        answer = self.raw("POST", path, content, {"Content-Type": "application/json", **headers})
        return json.loads(answer) if answer else None

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Return the items of a list, page by page."""
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
        """Return the bytes of a good answer. Raise ApiProblem for any other."""
        target = PREFIX + path + ("?" + urlencode(query) if query else "")
        status, content, is_problem = self._send(method, target, body, headers or {})
        for _ in range(MOST_WAITS if is_problem and self.base_url.startswith("https") else 0):
            if status != 429:
                break
            time.sleep(WAIT_S)  # the proxy's limit of one address, which all of us have
            status, content, is_problem = self._send(method, target, body, headers or {})
        if status == 401 and self._sign_on:
            self._link.close()  # signing on takes time, and the server closes idle connections
            self.headers = dict(self._sign_on())
            status, content, is_problem = self._send(method, target, body, headers or {})
        if status >= 400:
            raise ApiProblem(status, json.loads(content) if is_problem else {})
        return content

    def _send(
        self, method: str, target: str, body: bytes, headers: Mapping[str, str]
    ) -> tuple[int, bytes, bool]:
        """Return the status and the content, and whether the content is a problem document."""
        if time.monotonic() - self._used > KEPT_S:
            self._link.close()  # the next request opens it again
        try:
            self._link.request(method, target, body, {**self.headers, **headers})
        except (BrokenPipeError, ConnectionResetError):
            # The server had closed the idle connection, so it has not seen the request.
            self._link.close()
            self._link.request(method, target, body, {**self.headers, **headers})
        response = self._link.getresponse()
        content = response.read()
        self._used = time.monotonic()
        SERVER_CLOCK.hear(response.getheader("X-Server-Time"))
        is_problem = "problem+json" in response.getheader("Content-Type", "")
        return response.status, content, is_problem

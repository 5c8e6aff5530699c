"""Try the shipped proxy as it is: whom it asks, what it passes on, and what it refuses."""

import http.client
import http.server
import json
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from core.tools.cluster.proxy import HOST
from tests.support.processes import proxying as proxy
from tests.support.processes.proxying import Proxy

pytestmark = [
    pytest.mark.servers,
    pytest.mark.skipif(
        not proxy.is_here(), reason="no nginx (its wheel is for Linux on x86-64): make install"
    ),
]
GROUPS = ("sales", "public", "play")


class _Process(http.server.BaseHTTPRequestHandler):
    """A process behind the proxy, which says what it was asked."""

    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # an answer is one write

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        asked = {name.lower(): value for name, value in self.headers.items()}
        name = getattr(self.server, "name", "")
        content = json.dumps([name, self.path, asked, len(body)]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self) -> None:
        self.do_GET()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    with ExitStack() as stack:
        ports = {}
        for name in GROUPS:
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Process)
            server.name = name
            stack.callback(server.server_close)
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            stack.callback(server.shutdown)
            ports[f"lototrot_{name}"] = server.server_port
        folder = tmp_path_factory.mktemp("proxy")
        yield stack.enter_context(proxy.running(folder, ports, client_header_timeout="1s"))


def ask(
    shipped: Proxy, path: str, method: str = "GET", body: bytes = b"", **headers: str
) -> tuple[http.client.HTTPResponse, Any]:
    link = shipped.connection()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    link.request(method, path, body, {"Host": HOST, **named})
    response = link.getresponse()
    content = response.read()
    link.close()
    return response, json.loads(content) if content[:1] in b"[{" else content


TERMINAL = {"Authorization": "Terminal 1x"}
STAFF = {"Authorization": "Bearer 1x"}


@pytest.mark.parametrize(
    ("path", "headers", "group"),
    [
        ("/api/v1/lototrot/tickets", TERMINAL, "sales"),
        ("/api/v1/lototrot/tickets", {"Authorization": "terminal x"}, "sales"),
        ("/api/v1/lototrot/tickets", {}, "public"),
        ("/admin/", STAFF, "public"),
        ("/check?code=1", {}, "public"),
        ("/livez", {}, "sales"),
        ("/api/v1/promotrot/plays", TERMINAL, "play"),
        ("/api/v1/promotrot/emissions/a/1/opening", STAFF, "play"),
        ("/api/v1/promotrot/public/emissions", {}, "public"),
        ("/api/v1/promotrot/public/emissions", TERMINAL, "public"),
        ("/admin/promotrot/emission/", {}, "play"),
        ("/admin/staff/proposal/1/change/", {}, "play"),
        ("/api/v1/proposals/1/confirmation", STAFF, "play"),
        ("/api/v1/nights", STAFF, "play"),
        ("/admin/nights/jobrun/", {}, "play"),
        ("/api/v1/%70romotrot/plays", TERMINAL, "play"),
    ],
)
def test_each_request_comes_to_its_process(
    shipped: Proxy, path: str, headers: dict[str, str], group: str
) -> None:
    _, (asked, target, _, _) = ask(shipped, path, **headers)
    assert (asked, target) == (group, path)


def test_what_a_client_says_of_its_address_and_line_does_not_count(shipped: Proxy) -> None:
    invented = {"X_Forwarded_For": "192.0.2.1", "X_Forwarded_Proto": "http", "Connection": "close"}
    for path in ("/check", "/livez", "/api/v1/promotrot/plays"):
        _, (_, _, headers, _) = ask(shipped, path, **invented)
        assert headers["x-forwarded-for"] == "127.0.0.1"
        assert headers["x-forwarded-proto"] == "https"
        assert (headers["host"], headers.get("connection")) == (HOST, None)


def plainly(shipped: Proxy, method: str, path: str, **headers: str) -> http.client.HTTPResponse:
    """Return the answer to a request without TLS, its content read."""
    link = http.client.HTTPConnection("127.0.0.1", shipped.plain_port, timeout=60)
    link.request(method, path, headers=headers)
    response = link.getresponse()
    response.read()
    link.close()
    return response


def test_a_page_without_tls_is_sent_to_tls_under_the_own_name(shipped: Proxy) -> None:
    response = plainly(shipped, "GET", "/check?a=1", Host="evil.example")
    assert response.status == 301
    assert response.headers["Location"] == f"https://{HOST}/check?a=1"


@pytest.mark.parametrize("path", ["/api/v1/lototrot/tickets", "/%61pi/v1/clock", "//api/v1/clock"])
def test_the_api_without_tls_is_refused(shipped: Proxy, path: str) -> None:
    for method in ("GET", "POST"):
        response = plainly(shipped, method, path, Host=HOST, **TERMINAL)
        assert (response.status, response.headers["Location"]) == (403, None)


def test_files_are_given_out_and_nothing_beside_them(shipped: Proxy) -> None:
    for folder, name in (("static", "a.css"), ("live", "b.json"), ("live", "pulse.json")):
        (shipped.files / folder).mkdir(exist_ok=True)
        (shipped.files / folder / name).write_text("{}")
    (shipped.files / "secrets").mkdir()
    (shipped.files / "secrets" / "KEY").write_text("secret")
    caching = {
        "/static/a.css": "max-age=300",
        "/live/b.json": "max-age=31536000, immutable",
        "/live/pulse.json": "max-age=1",
    }
    for path, expected in caching.items():
        response, _ = ask(shipped, path)
        assert (response.status, response.headers["Cache-Control"]) == (200, expected)
    for path in ("/static/../secrets/KEY", "/static../secrets/KEY", "/live/%2e%2e/secrets/KEY"):
        response, content = ask(shipped, path)
        assert b"secret" not in (content if isinstance(content, bytes) else b"")
    for path in ("/metrics", "/readyz", "//readyz", "/%72eadyz"):
        assert ask(shipped, path, **TERMINAL)[0].status == 403


def test_a_body_that_is_too_large_comes_to_no_process(shipped: Proxy) -> None:
    response, content = ask(shipped, "/api/v1/x", "POST", bytes(8 * 1024 * 1024), **TERMINAL)
    assert (response.status, content[3]) == (200, 8 * 1024 * 1024)
    link = shipped.connection()
    link.putrequest("POST", "/api/v1/x")
    link.putheader("Content-Length", str(8 * 1024 * 1024 + 1))
    link.endheaders()
    assert link.getresponse().status == 413
    link.close()


def test_headers_that_come_bit_by_bit_are_not_waited_for(shipped: Proxy) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    began = time.monotonic()
    plain = socket.create_connection(("127.0.0.1", shipped.port), timeout=30)
    with context.wrap_socket(plain) as line:
        line.sendall(b"GET /check HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        try:
            while line.recv(100):
                pass
        except OSError:
            pass
    assert time.monotonic() - began < 30  # by itself nginx waits for 60


def statuses(
    shipped: Proxy, times: int, path: str, method: str = "GET", **headers: str
) -> Counter[int]:
    link, answered = shipped.connection(), Counter[int]()
    for _ in range(times):
        link.request(method, path, headers={"Host": HOST, **headers})
        response = link.getresponse()
        response.read()
        answered[response.status] += 1
    link.close()
    return answered


def until_refused(
    shipped: Proxy, path: str, method: str = "GET"
) -> tuple[int, http.client.HTTPResponse, Any]:
    """Return the number of the first request that is refused, and its answer, which takes time."""
    link = shipped.connection()
    status, number = 0, 0
    while status != 429:
        began = time.monotonic()
        link.request(method, path, headers={"Host": HOST})
        response = link.getresponse()
        content = response.read()
        status, number = response.status, number + 1
    assert time.monotonic() - began > 0.9, "who asks again and again is slowed down"
    link.close()
    return number, response, json.loads(content)


def test_one_address_is_limited_as_the_application_says_it(shipped: Proxy) -> None:
    number, response, problem = until_refused(shipped, "/api/v1/staff/sessions", "POST")
    assert 31 <= number <= 35
    assert (response.status, problem["code"]) == (429, "throttled")
    assert response.headers["Retry-After"] == "1"
    assert response.headers["Content-Type"] == "application/problem+json"
    assert 80 <= until_refused(shipped, "/check")[0] <= 220
    # A shop is no stranger, and its sales go on.
    assert statuses(shipped, 200, "/api/v1/lototrot/tickets", **TERMINAL) == {200: 200}
    assert statuses(shipped, 50, "/static/none") == {404: 50}

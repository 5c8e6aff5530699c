"""Send requests to the server on loopback: every connection sends its next when it is answered.

The client is one thread with one epoll, and requests come ready made, so that it takes little of
the machine. Its processor time is counted.
"""

import selectors
import socket
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

Request = Callable[[int], bytes]
"""Return the next request of the connection with that number, as an HTTP/1.1 message."""


@dataclass(slots=True)
class Load:
    """The answers of a run by status, latencies in ms, and the client's processor time.

    `last_at` is the time of the last answer by status, by `time.perf_counter`.
    """

    seconds: float = 0.0
    client_cpu_s: float = 0.0
    statuses: Counter[int] = field(default_factory=Counter)
    latencies_ms: list[float] = field(default_factory=list)
    last_at: dict[int, float] = field(default_factory=dict)

    def per_s(self, status: int) -> float:
        """Return the answers of that status per second."""
        return self.statuses[status] / self.seconds


@dataclass(slots=True)
class _Connection:
    number: int
    socket: socket.socket
    received: bytearray = field(default_factory=bytearray)
    sent_at: float = 0.0


def post(path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """Return an HTTP/1.1 request as bytes."""
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def run(
    base_url: str,
    *,
    connections: int,
    seconds: float,
    request: Request,
    over: Callable[[], bool] = lambda: True,
    own_addresses: bool = False,
) -> Load:
    """Keep `connections` requests under way for `seconds`, and for longer until `over`.

    Then wait for the last answers. With `own_addresses` each comes from another loopback address.
    """
    totals = Load()
    selector = selectors.EpollSelector()
    address = urlsplit(base_url)
    for number in range(connections):
        link = socket.create_connection(
            (address.hostname or "", address.port or 80),
            source_address=(f"127.0.1.{number + 1}", 0) if own_addresses else None,
        )
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.setblocking(False)
        selector.register(link, selectors.EVENT_READ, _Connection(number, link))
    cpu, start = time.process_time(), time.perf_counter()
    deadline = start + seconds
    alive = connections
    for key in list(selector.get_map().values()):
        _send(key.data, request)
    while alive:
        for key, _ in selector.select(timeout=30):
            connection: _Connection = key.data
            status = _receive(connection)
            if status is None:
                continue
            now = time.perf_counter()
            totals.statuses[status] += 1
            totals.last_at[status] = now
            totals.latencies_ms.append((now - connection.sent_at) * 1000)
            if now < deadline or not over():
                _send(connection, request)
            else:
                selector.unregister(connection.socket)
                connection.socket.close()
                alive -= 1
    totals.seconds = time.perf_counter() - start
    totals.client_cpu_s = time.process_time() - cpu
    return totals


def _send(connection: _Connection, request: Request) -> None:
    message = request(connection.number)
    connection.sent_at = time.perf_counter()
    # A request fits the socket's buffer, which is empty: the last one was answered.
    if connection.socket.send(message) != len(message):
        raise RuntimeError("a request did not fit the socket's buffer")


def _receive(connection: _Connection) -> int | None:
    """Return the status of the answer, None while a part of it is missing."""
    received = connection.received
    part = connection.socket.recv(65536)
    if not part:
        raise ConnectionError("the server closed a connection")
    received += part
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = bytes(received[:end]).lower()
    at = head.find(b"content-length:")
    length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
    if len(received) < end + 4 + length:
        return None
    received.clear()
    return int(head[9:12])

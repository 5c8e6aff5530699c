"""Ask for public things on many connections in one process, for the benchmark of floods.

The arguments are the URL, the number of connections, and the time in ms that a connection waits
after an answer, as over a network. The process prints "ready". On the line "on" every connection
asks for one thing after the other, on the line "off" no more. At the end of its input it prints a
line of JSON: `answers` by status, `on_s`, how long it asked, and `cpu_s`, its processor time.

It is one thread with one epoll, and shares the machine with the server.
"""

import heapq
import json
import os
import selectors
import socket
import sys
import time
from collections import Counter
from urllib.parse import urlsplit

_SIGN_ON = json.dumps({"username": "m.riera", "password": "not the right password"}).encode()
_HEAD = "HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: identity\r\n"
REQUESTS = (
    *[
        f"POST /api/v1/staff/sessions {_HEAD}Content-Type: application/json\r\n"
        f"Content-Length: {len(_SIGN_ON)}\r\n\r\n".encode()
        + _SIGN_ON
    ]
    * 3,
    f"GET /api/v1/schema {_HEAD}\r\n".encode(),
    f"GET / {_HEAD}\r\n".encode(),
    f"GET /check {_HEAD}\r\n".encode(),
    f"GET /api/v1/problems {_HEAD}\r\n".encode(),
    f"GET /api/v1/log?limit=200 {_HEAD}\r\n".encode(),
    f"GET /admin/login/ {_HEAD}\r\n".encode(),
)
"""Half are sign-ons, which cost a hash each; the others are the dearest pages and lists."""


class Connection:
    """A connection with the answer that it waits for."""

    def __init__(self, address: tuple[str, int], number: int) -> None:
        self.address, self.number = address, number
        self.sent = 0
        self.received = bytearray()
        self.link = socket.create_connection(address)
        self.link.setblocking(False)

    def ask(self) -> None:
        """Send the next request."""
        # It fits the socket's buffer, which is empty: the last request was answered.
        self.link.send(REQUESTS[(self.number + self.sent) % len(REQUESTS)])
        self.sent += 1

    def status(self) -> int | None:
        """Read what has arrived; return the status of the answer once it is whole."""
        part = self.link.recv(262_144)
        if not part:
            raise ConnectionError("the server closed a connection")
        self.received += part
        end = self.received.find(b"\r\n\r\n") + 4
        if end < 4:
            return None
        head = bytes(self.received[:end]).lower()
        length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        if len(self.received) < end + length:
            return None
        self.received.clear()
        return int(head[9:12])


def main(url: str, connections: int, pause_s: float) -> None:
    address = urlsplit(url)
    where = (address.hostname or "", address.port or 80)
    selector = selectors.EpollSelector()
    selector.register(sys.stdin, selectors.EVENT_READ)
    idle = []
    for number in range(connections):
        one = Connection(where, number)
        selector.register(one.link, selectors.EVENT_READ, one)
        idle.append(one)
    answers: Counter[int] = Counter()
    due: list[tuple[float, int, Connection]] = []
    is_on, on_s, since_s, cpu_s = False, 0.0, 0.0, time.process_time()
    print("ready", flush=True)
    while True:
        now_s = time.monotonic()
        while due and due[0][0] <= now_s:
            one = heapq.heappop(due)[2]
            one.ask() if is_on else idle.append(one)
        has_command = False
        for key, _ in selector.select(0.005):
            if key.data is None:
                has_command = True
                continue
            status = key.data.status()
            if status is not None:
                answers[status] += 1
                heapq.heappush(due, (time.monotonic() + pause_s, key.data.number, key.data))
        if not has_command:
            continue
        on_s += time.monotonic() - since_s if is_on else 0.0
        orders = os.read(sys.stdin.fileno(), 4096).decode().split()
        if not orders:
            break
        is_on, since_s = orders[-1] == "on", time.monotonic()
        while is_on and idle:
            idle.pop().ask()
    counts = {"on_s": on_s, "cpu_s": time.process_time() - cpu_s}
    print(json.dumps(counts | {"answers": answers}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) / 1000)

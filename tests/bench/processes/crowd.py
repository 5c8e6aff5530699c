"""Play thousands of open boards in one process, for the benchmark of the boards.

Each board asks for the pulse as often as the page does, on a connection that it keeps, with a
browser's headers, and for a document when its name is new.

The arguments are the live URL and the number of boards. The process prints "ready" once all boards
are connected and have read once. On the line "off" the boards keep their connections and ask for
nothing; on the line "on" they go on. At the end of its input it prints a line of JSON: `answers`;
`on_s`, how long the boards asked; `cpu_s`, its processor time; `late_s`, the longest time from a
publication to a board; and `documents`, for each new document how many boards have read it, and
when the last one had. Any answer that is bad or late is an error of the run.

It is one thread with one epoll, as `tests.bench.load`, and shares the machine with the server.
"""

import heapq
import json
import os
import random
import re
import select
import selectors
import socket
import sys
import time
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urlsplit

from core.tools.embedded.server import ROOT

_PAGE = ROOT / "core" / "screens" / "static" / "screens" / "board" / "main.js"
_PULSE = "pulse.json"
_PATIENCE_S = 30
_AT = re.compile(rb'"at":"([^"]+)"')
_DOCUMENT = re.compile(rb'"document":"([^"]+)"')
_HEADERS = (
    "Host: localhost\r\nConnection: keep-alive\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) "
    "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Safari/537.36\r\n"
    'sec-ch-ua-platform: "Linux"\r\nsec-ch-ua: "Chromium";v="148"\r\nsec-ch-ua-mobile: ?0\r\n'
    "Accept: */*\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\n"
    "Origin: http://localhost\r\nSec-Fetch-Dest: empty\r\nReferer: http://localhost/?wall\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: ca,en;q=0.9\r\n"
)


def page_s(name: str) -> float:
    """Return a constant of the page's script, given there in ms, in seconds."""
    match = re.search(rf"const {name} = (\d+);", _PAGE.read_text())
    if match is None:
        raise RuntimeError(f"the page has no {name}")
    return int(match[1]) / 1000


@dataclass(frozen=True, slots=True)
class Pulse:
    """The machine's time of publication in seconds, and the documents that the pulse names."""

    at: float
    documents: tuple[str, ...]


@dataclass(slots=True)
class Board:
    """A board: its connection, the request that it waits for, and what it shows."""

    link: socket.socket
    number: int
    asked: str = ""
    asked_s: float = 0.0
    went_on: bool = False
    received: bytearray = field(default_factory=bytearray)
    coming: Pulse | None = None
    shown: Pulse | None = None


class Crowd:
    """All boards, with the times at which they ask."""

    def __init__(self, live_url: str) -> None:
        address = urlsplit(live_url)
        self._address, self._path = (address.hostname or "", address.port or 80), address.path
        self._every_s, self._spread_s = page_s("EVERY_MS"), page_s("SPREAD_MS")
        self._old_after_s = page_s("OLD_AFTER_MS")
        self._selector = selectors.EpollSelector()
        self._due: list[tuple[float, int]] = []
        self._boards: list[Board] = []
        self._pulses: dict[bytes, Pulse] = {}
        self._questions: dict[str, bytes] = {}
        self._on = True
        self.answers = 0
        self.late_s = 0.0
        self.documents: dict[str, tuple[int, float]] = {}

    def open(self, boards: int) -> None:
        """Connect the boards at even intervals, and wait until all have read once."""
        began = time.monotonic()
        for number in range(boards):
            while time.monotonic() < began + self._every_s * number / boards:
                self.turn()
            link = socket.create_connection(self._address, timeout=_PATIENCE_S)
            link.setblocking(False)
            board = Board(link, number)
            self._boards.append(board)
            self._selector.register(link, selectors.EVENT_READ, board)
            self._ask(board, _PULSE)
        until = time.monotonic() + _PATIENCE_S
        while silent := sum(not board.shown for board in self._boards):
            if time.monotonic() > until:
                raise RuntimeError(f"{silent} boards got no answer")
            self.turn()
        self.answers, self.late_s = 0, 0.0
        self.documents.clear()

    def turn(self) -> None:
        """Send the requests that are due, and read the answers that have arrived."""
        now = time.monotonic()
        while self._due and self._due[0][0] <= now:
            self._ask(self._boards[heapq.heappop(self._due)[1]], _PULSE)
        wait_s = min(0.02, self._due[0][0] - now) if self._due else 0.001
        for key, _ in self._selector.select(max(0.0, wait_s)):
            self._read(key.data)

    def turn_off(self) -> None:
        """Send no more requests."""
        self._on = False
        self._due.clear()

    def turn_on(self) -> None:
        """Send requests again, spread over the page's interval."""
        self._on = True
        now = time.monotonic()
        for board in self._boards:
            board.went_on = False
            if not board.asked:
                self._due.append((now + random.random() * self._every_s, board.number))
        heapq.heapify(self._due)

    def need_fresh(self) -> None:
        """Raise RuntimeError if any board would have said that its figures are old."""
        before = time.monotonic() - self._old_after_s
        silent = sum(bool(board.asked) and board.asked_s < before for board in self._boards)
        if silent or self.late_s > self._old_after_s:
            raise RuntimeError(
                f"{silent} boards wait, the oldest figures are of {self.late_s:.1f} s"
            )

    def _ask(self, board: Board, name: str) -> None:
        question = self._questions.get(name)
        if question is None:
            question = f"GET {self._path}/{name} HTTP/1.1\r\n{_HEADERS}\r\n".encode()
            self._questions[name] = question
        board.asked, board.asked_s = name, time.monotonic()
        if board.link.send(question) != len(question):
            raise RuntimeError("a request did not fit the socket's buffer")

    def _read(self, board: Board) -> None:
        part = board.link.recv(65_536)
        if not part:
            raise RuntimeError("the server closed a board's connection")
        board.received += part
        body = _whole(board.received)
        if body is None:
            return
        board.received.clear()
        self.answers += 1
        if board.asked == _PULSE:
            board.coming = self._pulses.get(body) or self._pulse(body)
        else:
            many, _ = self.documents.get(board.asked, (0, 0.0))
            self.documents[board.asked] = (many + 1, time.time())
        self._go_on(board, board.asked)

    def _pulse(self, body: bytes) -> Pulse:
        at = _AT.search(body)
        if at is None:
            raise RuntimeError(f"this is no pulse: {body!r}")
        names = tuple(name.decode() for name in _DOCUMENT.findall(body))
        pulse = Pulse(datetime.fromisoformat(at[1].decode()).timestamp(), names)
        self._pulses[body] = pulse
        return pulse

    def _go_on(self, board: Board, read: str) -> None:
        """Ask for the next new document; when all are read, the board shows this pulse."""
        coming, before = board.coming, board.shown
        if coming is None:
            raise RuntimeError("a document came before any pulse")
        old_documents = before.documents if before else ()
        wanted = [name for name in coming.documents if name not in old_documents]
        later = wanted[wanted.index(read) + 1 :] if read in wanted else wanted
        if later:
            self._ask(board, later[0])
            return
        if before and board.went_on:
            self.late_s = max(self.late_s, time.time() - before.at)
        board.shown, board.asked, board.went_on = coming, "", True
        if self._on:
            wait_s = self._every_s + random.random() * self._spread_s
            heapq.heappush(self._due, (time.monotonic() + wait_s, board.number))


def _whole(received: bytearray) -> bytes | None:
    """Return the body of the answer, None while a part of it is missing."""
    end = received.find(b"\r\n\r\n") + 4
    if end < 4:
        return None
    head = received[:end].lower()
    if not head.startswith(b"http/1.1 200"):
        raise RuntimeError(f"a board was refused: {bytes(received[:200])!r}")
    length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
    return bytes(received[end:]) if len(received) == end + length else None


def main(live_url: str, boards: int) -> None:
    crowd = Crowd(live_url)
    crowd.open(boards)
    cpu_s, on_s, since = time.process_time(), 0.0, time.monotonic()
    print("ready", flush=True)
    orders = ["on"]
    while orders:
        crowd.turn()
        if not select.select([sys.stdin], [], [], 0)[0]:
            continue
        on_s += time.monotonic() - since if orders[-1] == "on" else 0.0
        since = time.monotonic()
        orders = os.read(sys.stdin.fileno(), 4096).decode().split()
        if orders:
            (crowd.turn_on if orders[-1] == "on" else crowd.turn_off)()
    crowd.need_fresh()
    counts = {"answers": crowd.answers, "on_s": on_s, "cpu_s": time.process_time() - cpu_s}
    print(json.dumps(counts | {"late_s": crowd.late_s, "documents": crowd.documents}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))

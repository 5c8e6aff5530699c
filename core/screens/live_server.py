"""Serve the boards' files from memory, where no proxy serves them from the disk.

The server has one thread and no framework, and its answers are prepared bytes. Thousands of boards
then cost little, and the web server, which handles sales, does not hold their connections. It
answers `GET /live/<name>` from any origin, and nothing else.
"""

import asyncio
import email.utils
import gzip
import time
from collections.abc import Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from core.screens import live

BACKLOG = 4096
_LONGEST_HEAD, _MOST_UNREAD = 16_384, 1_048_576  # bytes
_IDLE_S = 75.0
_END = b"\r\n\r\n"
_GET = b"GET /live/"
_REFUSED = b"Connection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Ready:
    """An answer without its status line and date, uncompressed and compressed."""

    plain: bytes
    compressed: bytes


@dataclass(slots=True)
class Files:
    """The files of the folder, ready to send. Call `refresh` after each publication."""

    place: Path
    date: bytes = b""
    _ready: dict[str, Ready] = field(default_factory=dict)

    def refresh(self) -> list[str]:
        """Read the files that are new, and forget those that are gone.

        Return the names of files that cannot be read. They keep no other back, and are tried again
        the next time; meanwhile the last pulse is given out.
        """
        self.date = f"Date: {email.utils.formatdate(usegmt=True)}\r\n".encode()
        paths = {path.name: path for path in self.place.iterdir() if live.is_name(path.name)}
        ready = {name: self._ready[name] for name in paths.keys() & self._ready.keys()}
        unread = []
        for name in sorted(paths.keys() - ready.keys() | paths.keys() & {live.PULSE}):
            try:
                ready[name] = _ready(name, paths[name].read_bytes())
            except FileNotFoundError:  # it was forgotten on the disk in this moment
                ready.pop(name, None)
            except OSError:
                unread.append(name)
        self._ready = ready
        return unread

    def answer(self, name: str, *, compressed: bool) -> bytes | None:
        ready = self._ready.get(name)
        if ready is None:
            return None
        return (
            b"HTTP/1.1 200 OK\r\n" + self.date + (ready.compressed if compressed else ready.plain)
        )


class Visitor(asyncio.Protocol):
    """Handle a board's connection. It stays open until a request is not as expected."""

    def __init__(self, files: Files, visitors: set["Visitor"]) -> None:
        self._files, self._visitors = files, visitors
        self._received = b""
        self._transport: asyncio.Transport
        self.heard_s = time.monotonic()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._visitors.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._visitors.discard(self)

    def data_received(self, data: bytes) -> None:
        self.heard_s = time.monotonic()
        self._received += data
        while _END in self._received and not self._transport.is_closing():
            head, _, self._received = self._received.partition(_END)
            self._answer(head)
        if len(self._received) > _LONGEST_HEAD:
            self.end()

    def end(self) -> None:
        """Close the connection once the answers are read."""
        self._transport.close()

    def sweep(self) -> None:
        """End the connection, at once if its caller has not read the answers since it was ended."""
        if self._transport.is_closing():
            self._transport.abort()
        else:
            self.end()

    def _answer(self, head: bytes) -> None:
        line, _, headers = head.partition(b"\r\n")
        target = line.split(b" ")
        if not line.startswith(_GET) or len(target) != 3:
            self._refuse(b"405 Method Not Allowed\r\nAllow: GET")
            return
        headers = headers.lower()
        name = target[1].removeprefix(b"/live/").decode("latin-1")
        answer = self._files.answer(name, compressed=b"gzip" in headers)
        if answer is None:
            self._refuse(b"404 Not Found")
            return
        self._transport.write(answer)
        unread = self._transport.get_write_buffer_size()
        if b"connection: close" in headers or target[2] != b"HTTP/1.1" or unread > _MOST_UNREAD:
            self.end()

    def _refuse(self, why: bytes) -> None:
        self._transport.write(b"HTTP/1.1 " + why + b"\r\n" + self._files.date + _REFUSED)
        self.end()


async def serve(files: Files, host: str, port: int) -> asyncio.Server:
    """Listen on the address. `_sweep` closes connections that are idle for `_IDLE_S`, and at its
    next turn cuts off those whose callers have not read their answers.
    """
    visitors: set[Visitor] = set()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Visitor(files, visitors), host, port, backlog=BACKLOG)
    loop.call_later(_IDLE_S, _sweep, visitors)
    return server


def _sweep(visitors: Set[Visitor]) -> None:
    since = time.monotonic() - _IDLE_S
    for visitor in [visitor for visitor in visitors if visitor.heard_s < since]:
        visitor.sweep()
    asyncio.get_running_loop().call_later(_IDLE_S, _sweep, visitors)


def _ready(name: str, content: bytes) -> Ready:
    """Prepare a file's answers. The pulse is small and changes often: it is not compressed."""
    encoded = content if name == live.PULSE else gzip.compress(content, 6, mtime=0)
    return Ready(_rest(name, content), _rest(name, encoded, encoded=encoded is not content))


def _rest(name: str, content: bytes, *, encoded: bool = False) -> bytes:
    lines = [
        "Content-Type: application/json",
        f"Content-Length: {len(content)}",
        f"Cache-Control: {live.cache_control(name)}",
        "Vary: Accept-Encoding",
        "Access-Control-Allow-Origin: *",
        "X-Content-Type-Options: nosniff",
    ]
    if encoded:
        lines.append("Content-Encoding: gzip")
    return "\r\n".join([*lines, "", ""]).encode() + content

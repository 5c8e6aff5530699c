"""Thousands of terminals at the pace of real ones, in one thread of one process.

Each has its own credentials and keeps a connection of its own open. Customers come to it at their
own times, whether it is answered or not; those that wait are served one after another. It waits for
an answer, and before it asks again, as long as the shipped terminal does.
"""

import asyncio
import json
import random
import re
import threading
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from core.tools.embedded.server import ROOT
from tests.drills.crowd import Crowd, Step, Steps, parsed

CUSTOMERS_EVERY_S = (20.0, 60.0)
_ENTERS_S = 2.0
"""An operator needs so long for the bet of a player who has been waiting."""
_SHIPPED = ROOT / "core" / "screens" / "static" / "screens" / "terminal"
_LOOK_EVERY_S = 0.1


def _shipped_s(file: str, name: str) -> list[float]:
    """Return the seconds that a constant of the shipped terminal has in milliseconds."""
    match = re.search(rf"^const {name} = ([^;]*);", (_SHIPPED / file).read_text(), re.MULTILINE)
    if match is None:
        raise ValueError(f"the shipped terminal has no {name} in {file}")
    return [int(ms.replace("_", "")) / 1000 for ms in re.findall(r"\d[\d_]*", match[1])]


AGAIN_S = _shipped_s("outbox.js", "AGAIN_MS")
(PATIENCE_S,) = _shipped_s("client.js", "PATIENCE_MS")


class Thousands(Crowd):
    """Such terminals. `heard_s` says of each by its number when it was last answered, well or with
    a refusal, by the monotonic clock.
    """

    heard_s: dict[int, float]
    _over: asyncio.Event

    def start(self) -> None:
        """Send players to all terminals until `pause`."""
        self.heard_s = {}
        self._stop.clear()
        self._threads = [threading.Thread(target=lambda: asyncio.run(self._all()), daemon=True)]
        self._threads[0].start()

    def not_heard_since(self, instant: float) -> int:
        """Return how many terminals got no answer after an instant."""
        return sum(self.heard_s.get(n, float("-inf")) < instant for n in range(len(self._headers)))

    async def _all(self) -> None:
        self._over = asyncio.Event()
        terminals = [asyncio.create_task(self._one(n)) for n in range(len(self._headers))]
        while not self._stop.is_set():
            await asyncio.sleep(_LOOK_EVERY_S)
        self._over.set()
        await asyncio.gather(*terminals)

    async def _one(self, number: int) -> None:
        rng = random.Random(f"{self._seed} {number}")
        line = _Connection(self, number)
        comes = time.monotonic() + rng.uniform(0, sum(CUSTOMERS_EVERY_S) / 2)
        while await self.waits(comes - time.monotonic()):
            await line.do(self._next(rng))
            comes = max(comes + rng.uniform(*CUSTOMERS_EVERY_S), time.monotonic() + _ENTERS_S)
        line.close()

    async def waits(self, seconds: float) -> bool:
        """Wait for so long; return False as soon as all is over."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), max(0.0, seconds))
        return not self._over.is_set()


class _Connection:
    """One terminal's connection to the proxy."""

    def __init__(self, crowd: Thousands, number: int) -> None:
        self._crowd, self._number = crowd, number
        self._source = crowd._addresses[number % len(crowd._addresses)]
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        at = urlsplit(crowd.base_url)
        self._host, self._port = at.hostname or "", at.port or 443
        headers = {**crowd._headers[number], "Content-Type": "application/json"}
        self._lines = [f"Host: {at.netloc}", *(f"{name}: {v}" for name, v in headers.items())]

    async def do(self, steps: Steps) -> None:
        """Ask for a player's requests, one after another."""
        answer = None
        with suppress(StopIteration):
            while True:
                step = steps.send(answer)
                answer = await self._act(step)

    async def _act(self, step: Step) -> dict[str, Any] | None:
        """Ask until there is an answer; return it if it is good. None when all is over."""
        kind, ident, path, body = step
        answers, content = self._crowd.answers, json.dumps(body).encode()
        answers.asked[kind].add(ident)
        first = time.monotonic()
        tries = 0
        while True:
            began = time.monotonic()
            status, answer = await self._try(f"/api/v1/{path}", content)
            if answers.note(step, first, began, status, answer):
                self._crowd.heard_s[self._number] = time.monotonic()
                return answer if status in (200, 201) else None
            if not await self._crowd.waits(AGAIN_S[min(tries, len(AGAIN_S) - 1)]):
                return None
            tries += 1

    async def _try(self, path: str, content: bytes) -> tuple[int, dict[str, Any]]:
        """Return the status and the JSON of one try; 0 without an answer."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                status, answer = await self._exchange(path, content)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError):  # also a TimeoutError
            self.close()
            return 0, {}
        return status, parsed(status, answer)

    async def _exchange(self, path: str, content: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection(
                self._host,
                self._port,
                ssl=self._crowd._context,
                local_addr=(self._source, 0),
            )
        reader, writer = self._streams
        lines = [f"POST {path} HTTP/1.1", *self._lines, f"Content-Length: {len(content)}"]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = re.search(r"^content-length: *(\d+)", head, re.MULTILINE)
        if length is None:
            raise ValueError("an answer without a length")
        answer = await reader.readexactly(int(length[1]))
        if "\r\nconnection: close" in head:
            self.close()
        return int(head.split(" ", 2)[1]), answer

    def close(self) -> None:
        """Close the connection at once. TLS would wait for the other side's farewell."""
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None

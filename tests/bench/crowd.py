"""Thousands of open boards in one process: each asks for the pulse every few seconds, as the
page does, and for a document when its name is new.

`python -m tests.bench.crowd BASE_URL BOARDS`: prints "ready" once all are connected and have read
once, and on the end of its input a line of JSON: answers, failures, the oldest pulse seen in ms,
and its own processor time in seconds.
"""

import asyncio
import json
import random
import re
import sys
import time
from urllib.parse import urlsplit

EVERY_S = 3.0
SPREAD_S = 0.5
_AT = re.compile(rb'"at":"([^"]+)"')
_DOCUMENT = re.compile(rb'"document":"([^"]+)"')


class Crowd:
    def __init__(self) -> None:
        self.answers = 0
        self.failures = 0
        self.changes: dict[bytes, float] = {}
        self.late_ms = 0.0
        self.connected = 0


class Board:
    """One board's connection, kept open."""

    def __init__(self, crowd: Crowd, host: str, port: int) -> None:
        self._crowd, self._host, self._port = crowd, host, port
        self._shown: set[bytes] = set()

    async def run(self, start_after_s: float) -> None:
        await asyncio.sleep(start_after_s)
        reader, writer = await asyncio.open_connection(self._host, self._port)
        self._crowd.connected += 1
        while True:
            pulse = await self._get(reader, writer, b"pulse.json")
            for name in _DOCUMENT.findall(pulse):
                if name not in self._shown:
                    await self._get(reader, writer, name)
                    self._shown.add(name)
                    self._notice(name)
            await asyncio.sleep(EVERY_S + random.random() * SPREAD_S)

    def _notice(self, name: bytes) -> None:
        """How long after the first board this one shows the same change."""
        now = time.monotonic()
        first = self._crowd.changes.setdefault(name, now)
        self._crowd.late_ms = max(self._crowd.late_ms, (now - first) * 1000)

    async def _get(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: bytes
    ) -> bytes:
        writer.write(b"GET /live/" + name + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        head = await reader.readuntil(b"\r\n\r\n")
        body = await _body(head.lower(), reader)
        self._crowd.answers += 1
        if not head.startswith(b"HTTP/1.1 200"):
            self._crowd.failures += 1
        return body


async def _body(head: bytes, reader: asyncio.StreamReader) -> bytes:
    if b"transfer-encoding: chunked" not in head:
        length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        return await reader.readexactly(length)
    body = b""
    while size := int(await reader.readline(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return body


async def main(base_url: str, boards: int) -> None:
    address = urlsplit(base_url)
    crowd = Crowd()
    ramp_s = EVERY_S + SPREAD_S
    tasks = [
        asyncio.create_task(
            Board(crowd, address.hostname or "", address.port or 80).run(ramp_s * n / boards)
        )
        for n in range(boards)
    ]
    while crowd.connected < boards:
        await asyncio.sleep(0.1)
    crowd.changes.clear()
    crowd.answers, crowd.late_ms, cpu = 0, 0.0, time.process_time()
    print("ready", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    dead = sum(task.done() for task in tasks)
    print(
        json.dumps(
            {
                "answers": crowd.answers, "failures": crowd.failures + dead,
                "late_ms": crowd.late_ms, "cpu_s": time.process_time() - cpu,
            }
        ),
        flush=True,
    )  # fmt: skip
    for task in tasks:
        task.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))

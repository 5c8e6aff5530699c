"""Tickets sold per second while 24 connections ask for the dearest public things, and without.

`flood.sale_ratio` is the speed of the sale with the flood over that without it, through the shipped
proxy, with the limits and processes of the shipped configuration: terminals have processes and
addresses of their own. `flood.direct_ratio` is the same without the proxy, as after `make up`, and
`flood.open_ratio` without limits, and with one group of processes for all. All are measured in turn
in one run, with the same client, which waits 20 ms after each answer, as over a network; its
processor time is the sale's loss as well and is in `*.client_cpu_share`, of one processor. So is
what the flooded server takes meanwhile, `*.server_cpu_share`, without its database: other load on
the machine, which moves the ratios, adds nothing to it. In `open` that server sells as well.
"""

import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from core.tools.embedded.children import Child
from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import GIVING_WAY
from core.tools.embedded.web import free_port, web_command
from tests.bench.pairs import interleave
from tests.bench.parts.sale import Sales
from tests.bench.processor import taken_s
from tests.bench.store import Figures, Store
from tests.support.processes import proxying

CONNECTIONS, PAUSE_MS = 24, 20
_LIMITS = ("ANONYMOUS_PER_S", "ANONYMOUS_TOTAL_PER_S")
_NONE = "1000000"
_OPEN = dict.fromkeys((*_LIMITS, "SIGN_ONS_PER_MINUTE", "SIGN_ONS_TOTAL_PER_MINUTE"), _NONE) | {
    "ANONYMOUS_AT_ONCE": "1000"
}
_WITHIN_S = 120


@dataclass(slots=True)
class Flood:
    """The process that floods; `counts` are its own at the end."""

    orders: IO[str]
    counts: dict[str, Any] = field(default_factory=dict)

    def turn(self, word: str) -> None:
        """Turn the flood "on" or "off"."""
        self.orders.write(f"{word}\n")
        self.orders.flush()


@dataclass(frozen=True, slots=True)
class _Places:
    """The address of the sales, that of the flood, and the process that answers the flood."""

    sales_url: str
    flooded_url: str
    flooded_pid: int


def measure(store: Store) -> Figures:
    """Return the figures `flood.*`."""
    figures: Figures = {}
    shipped = dict.fromkeys(_LIMITS, "") | {"TRUSTED_PROXIES": "127.0.0.1"}
    with store.contest_on_sale() as (contest, points):
        sales = Sales(contest, points)
        with _server(store, _OPEN, processes=2) as (url, server):
            places = _Places(url, url, server)
            figures |= _measured(store, sales, places, name="open")
        with _server(store, shipped, processes=1, niceness=GIVING_WAY) as (url, server):
            places = _Places(store.stack.sales_url, url, server)
            figures |= _measured(store, sales, places, name="direct")
            if proxying.is_here():
                with _proxy(store, url) as proxied:
                    places = _Places(proxied, proxied, server)
                    figures |= _measured(store, sales, places, name="sale")
    return figures


@contextmanager
def _proxy(store: Store, public_url: str) -> Iterator[str]:
    """Run the shipped proxy before the system; yield its URL."""
    folder = Path(tempfile.mkdtemp(dir=store.stack.folder))
    ports = {
        "lototrot_sales": store.stack.sales_port,
        "lototrot_public": urlsplit(public_url).port or 80,
        "lototrot_play": store.stack.play_port,
    }
    with proxying.running(folder, ports, tls=False) as proxy:
        yield f"http://127.0.0.1:{proxy.port}"


def _measured(store: Store, sales: Sales, places: _Places, *, name: str) -> Figures:
    """Return the ratio of the sale with the flood to that without, and what the flood was told."""
    taken: list[tuple[float, float]] = []  # processor and other seconds of the flooded server
    with _flood(places.flooded_url) as flood:

        def sell() -> float:
            return store.load(sales.request, url=places.sales_url, own_addresses=True).per_s(201)

        def sell_in_flood() -> float:
            flood.turn("on")
            time.sleep(min(1.0, store.size.load_s / 2))  # until what the limits let pass has passed
            began = taken_s(places.flooded_pid), time.monotonic()
            try:
                return sell()
            finally:
                ended = taken_s(places.flooded_pid), time.monotonic()
                taken.append((ended[0] - began[0], ended[1] - began[1]))
                flood.turn("off")

        measured = interleave(sell, sell_in_flood, pairs=store.size.pairs)
    counts = flood.counts
    answers = {int(status): number for status, number in counts["answers"].items()}
    asked = sum(answers.values())
    return {
        f"flood.{name}_ratio": measured.ratio,
        f"flood.{name}_without_per_s": measured.baseline_median,
        f"flood.{name}_with_per_s": measured.ours_median,
        f"flood.{name}_asked_per_s": asked / counts["on_s"],
        f"flood.{name}_refused_share": answers.get(429, 0) / max(1, asked),
        f"flood.{name}_client_cpu_share": counts["cpu_s"] / counts["on_s"],
        f"flood.{name}_server_cpu_share": sum(c for c, _ in taken) / sum(s for _, s in taken),
    }


@contextmanager
def _server(
    store: Store, settings: Mapping[str, str], *, processes: int, niceness: int = 0
) -> Iterator[tuple[str, int]]:
    """Start another web server of the system under measurement; yield its URL and its pid."""
    port = free_port()
    environment = store.stack.environment_of("web") | dict(settings)
    log = store.stack.folder / f"flood-{port}.log"
    url = f"http://127.0.0.1:{port}"
    server = Child(
        "flood", web_command(port, processes), environment, log, 20, lambda: _answers(url), niceness
    )
    server.start()
    try:
        deadline = time.monotonic() + _WITHIN_S
        while not server.ready():
            if not server.running or time.monotonic() > deadline:
                raise RuntimeError(f"a web server did not start: {server.log_end()}")
            time.sleep(0.1)
        yield url, server.pid
    finally:
        server.kill()


def _answers(url: str) -> bool:
    link = http.client.HTTPConnection(urlsplit(url).netloc, timeout=5)
    try:
        link.request("GET", "/readyz")
        return link.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        link.close()


@contextmanager
def _flood(url: str) -> Iterator[Flood]:
    """Start the flood, turned off. Its counts are there at the end."""
    words = [url, str(CONNECTIONS), str(PAUSE_MS)]
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.processes.flood", *words],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the flood has no pipes")
        if process.stdout.readline() != "ready\n":
            raise RuntimeError("the flood did not connect")
        flood = Flood(process.stdin)
        try:
            yield flood
            printed, _ = process.communicate(timeout=60)
            if process.returncode:
                raise RuntimeError("the flood failed")
            flood.counts = json.loads(printed)
        finally:
            process.kill()

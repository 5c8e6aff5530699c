"""Terminals that sell, play and pay at once through the proxy, and write down what they were told.

A terminal repeats a request that got no answer, or a transient one, with the same UUID until it is
answered, as the shipped terminal does.
"""

import json
import random
import ssl
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from core.kernel.regulation import Bearer, Place, payment_rule, shipped
from core.tools.raceday.api import SERVER_CLOCK
from tests.bench.pairs import percentile

TIMEOUT_S, AGAIN_S = 8.0, 0.2
SALES, PLAYS = "lototrot/tickets", "promotrot/plays"
PAYMENTS = "claims/payments"
KINDS = ("sale", "print", "play", "act", "payment")
_PLAYS_SHARE = 0.3
REPEATED = frozenset({"no answer", "502", "503", "504"})
"""The shipped terminal repeats after these; after others only if `transient` is said."""
Step = tuple[str, uuid.UUID, str, dict[str, Any]]
"""A request of an act: its kind, its UUID, the path and the body."""
Steps = Generator[Step, dict[str, Any] | None, None]
"""The requests of a player, one after another; each good answer is sent in, None for no such."""
BUSY_S = 0.02
"""A busy terminal rests so long on average after each act: this machine is shared with others."""


@dataclass(slots=True)
class Answers:
    """Requests and answers of the terminals, by kind of act and UUID.

    `took_ms` has when each act was answered, and how long that was after its first try.
    """

    asked: dict[str, set[uuid.UUID]] = field(default_factory=lambda: {k: set() for k in KINDS})
    answered: dict[str, dict[uuid.UUID, float]] = field(
        default_factory=lambda: {kind: {} for kind in KINDS}
    )
    refused: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    took_ms: list[tuple[float, float]] = field(default_factory=list)
    tried_ok: list[tuple[float, float]] = field(default_factory=list)
    """The beginning and the good answer of each try of a sale, by the monotonic clock."""
    renewed: list[list[uuid.UUID]] = field(default_factory=list)
    """The UUIDs of each sale that was repeated under a new one: a fault, of twins alone."""

    def note(
        self, step: Step, first: float, began: float, status: int, answer: dict[str, Any]
    ) -> bool:
        """Write the outcome of a try down; return whether the terminal is done with the request.

        `first` and `began` are when the first try and this one began. A status of 0 is no answer.
        """
        kind, ident, _, _ = step
        now = time.monotonic()
        if status in (200, 201):
            self.answered[kind][ident] = now
            self.took_ms.append((now, (now - first) * 1000))
            if kind == "sale":
                self.tried_ok.append((began, now))
            return True
        if status and status < 500 and not answer.get("transient"):
            self.refused[str(answer.get("code", status))] += 1
            return True
        self.faults[str(status or "no answer")] += 1
        return False

    @property
    def refused_for_good(self) -> Counter[str]:
        """The answers after which no terminal repeats by itself, with their number."""
        faults = {what: n for what, n in self.faults.items() if what.startswith("5")}
        return self.refused + Counter({w: n for w, n in faults.items() if w not in REPEATED})

    def first_sale_after(self, instant: float) -> float | None:
        """Return when the first sale was answered that was tried after an instant."""
        good = [answered for began, answered in self.tried_ok if began > instant]
        return min(good, default=None)

    def sales_between(self, since: float, until: float) -> int:
        """Return how many sales were answered in that time."""
        return sum(since <= answered < until for _, answered in self.tried_ok)

    def p99_ms(self, since: float = 0) -> float:
        """Return the 99th percentile of the times of acts answered since then."""
        times = [ms for at, ms in self.took_ms if at >= since]
        return percentile(times, 0.99) if times else 0.0

    def longest_gap_s(self, since: float, until: float) -> float:
        """Return the longest time without an answered sale."""
        moments = sorted(at for _, at in self.tried_ok if since <= at <= until)
        edges = [since, *moments, until]
        return max(after - before for before, after in pairwise(edges))


@dataclass(frozen=True, slots=True)
class Goods:
    """Bodies of sales, and the emissions whose plays are sold, with their price."""

    sales: Sequence[dict[str, Any]]
    emissions: Sequence[tuple[int, int]]


class Crowd:
    """Terminals with their credentials. `addresses` are where they ask from, in turn.

    `closes_s` is when their contest closes, by the
    monotonic clock. Where `renews` is set a sale is repeated under a new UUID, as no terminal may.
    """

    def __init__(
        self,
        base_url: str,
        headers: Sequence[dict[str, str]],
        goods: Goods,
        addresses: Sequence[str],
        *,
        certificate: str,
        seed: int,
    ) -> None:
        self.base_url = base_url
        self.answers = Answers()
        self.closes_s = float("inf")
        self.renews = False
        self._goods = goods
        self._headers = headers
        self._addresses = addresses
        self._context = ssl.create_default_context(cafile=certificate) if certificate else None
        self._seed = seed
        self._stop, self._ending = threading.Event(), threading.Event()
        self._threads: list[threading.Thread] = []
        self._vouchers: deque[tuple[str, int]] = deque()

    def link(self, source: str) -> HTTPConnection:
        """Return a connection from an address; without TLS where there is no certificate."""
        at = urlsplit(self.base_url)
        host, port, source_address = at.hostname or "", at.port, (source, 0)
        if self._context is None:
            return HTTPConnection(host, port, TIMEOUT_S, source_address)
        return HTTPSConnection(
            host, port, timeout=TIMEOUT_S, source_address=source_address, context=self._context
        )

    def start(self) -> None:
        """Run all terminals until `pause` or `finish`."""
        self._stop.clear()
        self._ending.clear()
        self._threads = [
            threading.Thread(target=self._terminal, args=(number,), daemon=True)
            for number in range(len(self._headers))
        ]
        for thread in self._threads:
            thread.start()

    def pause(self) -> None:
        """Wait until no request is under way."""
        self._stop.set()
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def finish(self, within_s: float = 120) -> None:
        """Take no new player, and wait until every request is answered.

        Raise TimeoutError after `within_s`.
        """
        self._ending.set()
        deadline = time.monotonic() + within_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            self.pause()
            raise TimeoutError(f"not every request was answered within {within_s:.0f} s")

    def forget(self) -> None:
        """Begin again with what was told, after answers were lost on purpose."""
        self.answers = Answers()
        self._vouchers.clear()

    def wait_sales(self, more: int = 30, within_s: float = 120) -> None:
        """Wait until so many more sales are answered. Raise TimeoutError after `within_s`."""
        enough = len(self.answers.tried_ok) + more
        deadline = time.monotonic() + within_s
        while len(self.answers.tried_ok) < enough:
            if time.monotonic() > deadline:
                raise TimeoutError(f"no {more} sales within {within_s:.0f} s")
            time.sleep(0.05)

    def first_sale_after(self, instant: float, within_s: float) -> float:
        """Wait for the first sale tried after an instant; return its seconds after it, or inf."""
        deadline = time.monotonic() + within_s
        while (at := self.answers.first_sale_after(instant)) is None:
            if time.monotonic() > deadline:
                return float("inf")
            time.sleep(0.05)
        return at - instant

    def _terminal(self, number: int) -> None:
        rng = random.Random(f"{self._seed} {number} {time.monotonic()}")
        line = _Line(self, number)
        while not self._ending.wait(rng.uniform(0, 2 * BUSY_S)):
            line.do(self._next(rng))
        line.close()

    def _next(self, rng: random.Random) -> Steps:
        """Return the requests of the next player."""
        if self._vouchers:
            return self._pay()
        return self._play(rng) if rng.random() < _PLAYS_SHARE else self._sale(rng)

    def _sale(self, rng: random.Random) -> Steps:
        ident, body = SERVER_CLOCK.request_uuid(), rng.choice(self._goods.sales)
        yield "sale", ident, SALES, {"uuid": str(ident), **body}

    def _play(self, rng: random.Random) -> Steps:
        ident = SERVER_CLOCK.request_uuid()
        emission, price = rng.choice(self._goods.emissions)
        body = {"uuid": str(ident), "emission": emission, "price_cents": price}
        if (yield "play", ident, PLAYS, body) is None:
            return
        path = f"{PLAYS}/{ident}/acts"
        after = yield "act", ident, path, {"number": 1, "act": "reveal"}
        for voucher in (after or {}).get("vouchers", ()):
            if voucher.get("nature") == "cash" and paid_at_a_shop(voucher["amount_cents"]):
                self._vouchers.append((voucher["code"], voucher["amount_cents"]))

    def _pay(self) -> Steps:
        try:
            code, cents = self._vouchers.popleft()
        except IndexError:
            return
        ident = SERVER_CLOCK.request_uuid()
        body = {"uuid": str(ident), "code": code, "amount_cents": cents, "intact": True}
        yield "payment", ident, PAYMENTS, body


def paid_at_a_shop(amount_cents: int) -> bool:
    """Return whether establishments may pay a voucher of this amount (14.III.10.2).

    The holder of a larger one is sent to the Central Office; few tickets have one.
    """
    figures = shipped().in_force(datetime.now(UTC).date()).payment
    return Place.ESTABLISHMENT in payment_rule(amount_cents, figures, Bearer.VOUCHER).allowed


class _Line:
    """One terminal's connection to the proxy."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self._crowd = crowd
        self._headers = {**crowd._headers[number], "Content-Type": "application/json"}
        self._source = crowd._addresses[number % len(crowd._addresses)]
        self._link: HTTPConnection | None = None

    def do(self, steps: Steps) -> None:
        """Ask for a player's requests, one after another."""
        answer = None
        with suppress(StopIteration):
            while True:
                answer = self.act(steps.send(answer))

    def act(self, step: Step) -> dict[str, Any] | None:
        """Ask until there is an answer; return it if it is good. None when told to stop."""
        kind, ident, path, body = step
        answers, renewed = self._crowd.answers, [ident]
        answers.asked[kind].add(ident)
        first = time.monotonic()
        while True:
            began = time.monotonic()
            status, answer = self._try(f"/api/v1/{path}", json.dumps(body).encode())
            if answers.note((kind, ident, path, body), first, began, status, answer):
                return answer if status in (200, 201) else None
            if self._crowd._stop.wait(AGAIN_S):
                return None
            if self._crowd.renews and kind == "sale":
                ident = SERVER_CLOCK.request_uuid()
                body = {**body, "uuid": str(ident)}
                answers.asked[kind].add(ident)
                renewed.append(ident)
                if len(renewed) == 2:
                    answers.renewed.append(renewed)

    def close(self) -> None:
        if self._link is not None:
            self._link.close()
            self._link = None

    def _try(self, path: str, content: bytes) -> tuple[int, dict[str, Any]]:
        """Return the status and the JSON of one try; 0 without an answer."""
        try:
            if self._link is None:
                self._link = self._crowd.link(self._source)
            self._link.request("POST", path, content, self._headers)
            response = self._link.getresponse()
            answer = response.read()
            SERVER_CLOCK.hear(response.getheader("X-Server-Time"))
        except (OSError, HTTPException):
            self.close()
            return 0, {}
        return response.status, parsed(response.status, answer)


def parsed(status: int, content: bytes) -> dict[str, Any]:
    """Return an answer's JSON. One without JSON is transient if the status says so."""
    try:
        document = json.loads(content)
    except ValueError:
        return {"transient": status >= 500}
    return document if isinstance(document, dict) else {}

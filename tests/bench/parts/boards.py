"""Tickets sold per second while thousands of boards are open, against the same without them.

The machine's speed drifts by a tenth and more from one second to the next. So sales go on without
a pause, the boards keep their connections and are told every second to be quiet or to go on, and
each second with them is compared with the second beside it. The process that plays the boards
takes processor time from the sales as well; the ratio counts it against us.
"""

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connections

from core.staff.powers import Role
from core.tools.embedded.server import ROOT
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.services.tickets.putting_on_sale import contest_publish
from tests.bench.load import Request
from tests.bench.pairs import Pairs
from tests.bench.parts.sale import Sales
from tests.bench.store import Figures, Store
from tests.support import factories, rounds

RULES = {"ca": "Regles", "es": "Reglas", "en": "Rules"}
WINDOW_S, WARM = 1.0, 4  # the first windows are not counted
CHANGED_AFTER_S, CHANGE_S = 1.0, 9.0
"""A figure on the boards changes after the first; sales go on for the second, and then every board
must have it."""


class Windows:
    """Count the requests of each second, and turn the boards on and off.

    In every pair one second is with the boards and one without; each goes first in every other.
    """

    def __init__(self, request: Request, turn: Callable[[str], None]) -> None:
        self._request, self._turn = request, turn
        self._began = time.perf_counter()
        self._at = -1
        self.sent: Counter[int] = Counter()

    def request(self, number: int) -> bytes:
        """Return the next request, after turning the boards when a second has begun."""
        at = int((time.perf_counter() - self._began) / WINDOW_S)
        if at != self._at:
            if self.on(at) != self.on(self._at) or self._at < 0:
                self._turn("on" if self.on(at) else "off")
            self._at = at
        self.sent[at] += 1
        return self._request(number)

    @staticmethod
    def on(window: int) -> bool:
        """Return whether the boards ask during that second."""
        return window % 4 in (1, 2)

    def pairs(self, count: int) -> Pairs:
        """Return the requests of so many pairs of seconds, without the boards and with them."""
        first = range(WARM, WARM + 2 * count, 2)
        both = [(at, at + 1) if self.on(at + 1) else (at + 1, at) for at in first]
        sent = [(float(self.sent[off]), float(self.sent[on])) for off, on in both]
        return Pairs([off for off, _ in sent], [on for _, on in sent])


def measure(store: Store) -> Figures:
    """Return the figures `boards.*`; `sale_ratio` is sales with the boards over sales without.

    `crowd_cpu_share`: the share of one processor that the boards' process takes while it asks.
    `late_ms`: the longest time from a publication to a board. `change_ms`: from the commit of a
    change to the last board; measured beside sales, with every board reading a new document.
    """
    with store.contest_on_sale() as (contest, points):
        contest_publish(by=factories.staff(Role.ORGANISER), contest=contest, rules=RULES)
        sales = Sales(contest, points)
        pairs, crowd = _with_and_without(store, sales)
        change_ms, watched = _change(store, contest, sales)
    return {
        "boards.sale_ratio": pairs.ratio,
        "boards.open": float(store.size.boards),
        "boards.answers_per_s": crowd["answers"] / crowd["on_s"],
        "boards.crowd_cpu_share": crowd["cpu_s"] / crowd["on_s"],
        "boards.late_ms": watched["late_s"] * 1000,
        "boards.change_ms": change_ms,
    }


def _with_and_without(store: Store, sales: Sales) -> tuple[Pairs, dict[str, Any]]:
    """Sell while the boards are turned on and off; return the pairs and what the boards counted."""
    count = store.size.board_pairs
    with _crowd(store) as (turn, end):
        windows = Windows(sales.request, turn)
        store.load(windows.request, seconds=(WARM + 2 * count) * WINDOW_S)
        return windows.pairs(count), end()


def _change(store: Store, contest: Contest, sales: Sales) -> tuple[float, dict[str, Any]]:
    """Change a figure beside sales; return the ms until every board had it, and the counts."""
    with _crowd(store) as (_, end):
        timer = threading.Timer(CHANGED_AFTER_S, committed := _Change(contest))
        timer.start()
        store.load(sales.request, seconds=CHANGE_S)
        timer.join()
        watched = end()
    last_read = [
        last for count, last in watched["documents"].values() if count == store.size.boards
    ]
    if len(last_read) != 1:
        raise RuntimeError(f"the change is not on every board: {watched}")
    return (last_read[0] - committed.at) * 1000, watched


class _Change:
    """Raise the jackpot, as lapsed prizes do (14.III.10.7); `at` is when it was committed."""

    def __init__(self, contest: Contest) -> None:
        self._account = accounts.jackpot(contest.bet_type_code)
        self.at = 0.0

    def __call__(self) -> None:
        rounds.fund(self._account, 100_00)
        self.at = time.time()
        connections.close_all()


@contextmanager
def _crowd(store: Store) -> Iterator[tuple[Callable[[str], None], Callable[[], dict[str, Any]]]]:
    """Open the boards; give a function that turns them on or off, and one that ends them.

    The second one returns what they counted.
    """
    program = "tests.bench.processes.crowd"
    with subprocess.Popen(
        [sys.executable, "-m", program, store.stack.live_url, str(store.size.boards)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the crowd has no pipes")
        orders = process.stdin

        def turn(word: str) -> None:
            orders.write(f"{word}\n")
            orders.flush()

        def end() -> dict[str, Any]:
            printed, _ = process.communicate(timeout=60)
            if process.returncode:
                raise RuntimeError("a board failed")
            counts: dict[str, Any] = json.loads(printed)
            return counts

        if process.stdout.readline() != "ready\n":
            raise RuntimeError("the boards did not open")
        try:
            yield turn, end
        finally:
            orders.close()

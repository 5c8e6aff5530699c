"""What thousands of open boards cost the sale: the same sales while they ask and while they do not.

The machine's own speed goes up and down by a tenth and more from one second to the next. So the
sale is never interrupted, and the boards, whose connections stay open, are told to be quiet and to
go on every second; each second with them is compared with one without beside it. The boards are
the crowd's, whose processor time is taken from the sale as well: the ratio has it against us.
"""

import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from django.db import connections

from core.staff.powers import Role
from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack
from lototrot import accounts
from lototrot.models.contest import Contest
from lototrot.services.contest.contests import contest_publish
from tests.bench import client
from tests.bench.pairs import Pairs
from tests.bench.raw import CONNECTIONS
from tests.bench.sale import Sales
from tests.support import factories, rounds

BOARDS = 3_200
RULES = {"ca": "Regles", "es": "Reglas", "en": "Rules"}
WINDOW_S, WARM = 1.0, 4  # the first windows are not counted
# A change is made so long after the sales began, and has so long to be on every board.
CHANGED_AFTER_S, CHANGE_S = 1.0, 9.0


class Windows:
    """Counts what is asked for in each window, and says when the boards are to be on.

    In every pair one window is with the boards and one without; each goes first in every other.
    """

    def __init__(self, request: client.Request, turn: Callable[[str], None]) -> None:
        self._request, self._turn = request, turn
        self._began = time.perf_counter()
        self._at = -1
        self.sent: Counter[int] = Counter()

    def request(self, number: int) -> bytes:
        at = int((time.perf_counter() - self._began) / WINDOW_S)
        if at != self._at:
            if self.on(at) != self.on(self._at) or self._at < 0:
                self._turn("on" if self.on(at) else "off")
            self._at = at
        self.sent[at] += 1
        return self._request(number)

    @staticmethod
    def on(window: int) -> bool:
        return window % 4 in (1, 2)

    def pairs(self, many: int) -> Pairs:
        first = range(WARM, WARM + 2 * many, 2)
        both = [(at, at + 1) if self.on(at + 1) else (at + 1, at) for at in first]
        sent = [(float(self.sent[off]), float(self.sent[on])) for off, on in both]
        return Pairs([off for off, _ in sent], [on for _, on in sent])


def measure(stack: Stack, *, pairs: int, seconds: float) -> dict[str, float]:
    """The keys `boards.*`; `sale_ratio` is sales per second with the boards over without.

    `crowd_cpu_share` is the crowd's part of one processor while it asks; `late_ms` the longest that
    anything can have waited to be on a board, `change_ms` a change's way from its commit to the
    last board, both beside sales, in a run in which every board reads a new document.
    """
    contest = factories.contest(factories.meeting(numbers=range(1, 16)))
    contest_publish(by=factories.staff(Role.ORGANISER), contest=contest, rules=RULES)
    points = [factories.point() for _ in range(CONNECTIONS)]
    for point in points:
        factories.acknowledge(contest, point)
    sales = Sales(contest, points, Random(20061105))

    def sell(seconds: float, request: client.Request = sales.request) -> None:
        load = client.run(stack.base_url, connections=CONNECTIONS, seconds=seconds, request=request)
        if set(load.statuses) != {201}:
            raise RuntimeError(f"sales were refused: {dict(load.statuses)}")

    many = round(pairs * seconds / WINDOW_S)
    with _crowd(stack.live_url) as (turn, ended):
        windows = Windows(sales.request, turn)
        sell((WARM + 2 * many) * WINDOW_S, windows.request)
        crowd = ended()
    with _crowd(stack.live_url) as (_, ended):
        timer = threading.Timer(CHANGED_AFTER_S, committed := _Change(contest))
        timer.start()
        sell(CHANGE_S)
        timer.join()
        watched = ended()
    shown = [last for many, last in watched["documents"].values() if many == BOARDS]
    if len(shown) != 1:
        raise RuntimeError(f"the change is not on every board: {watched}")
    return {
        "boards.sale_ratio": windows.pairs(many).ratio,
        "boards.open": float(BOARDS),
        "boards.answers_per_s": crowd["answers"] / crowd["on_s"],
        "boards.crowd_cpu_share": crowd["cpu_s"] / crowd["on_s"],
        "boards.late_ms": watched["late_s"] * 1000,
        "boards.change_ms": (shown[0] - committed.at) * 1000,
    }


class _Change:
    """The jackpot rises, as when a lapsed prize is placed (14.III.10.7); `at`: when committed."""

    def __init__(self, contest: Contest) -> None:
        self._account = accounts.jackpot(contest.bet_type_code)
        self.at = 0.0

    def __call__(self) -> None:
        rounds.fund(self._account, 100_00)
        self.at = time.time()
        connections.close_all()


@contextmanager
def _crowd(live_url: str) -> Iterator[tuple[Callable[[str], None], Callable[[], dict[str, Any]]]]:
    """Open boards: how to tell them something, and how to end them and hear what they saw."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.crowd", live_url, str(BOARDS)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the crowd has no pipes")
        told = process.stdin

        def turn(word: str) -> None:
            told.write(f"{word}\n")
            told.flush()

        def ended() -> dict[str, Any]:
            said, _ = process.communicate(timeout=60)
            if process.returncode:
                raise RuntimeError("a board failed")
            found: dict[str, Any] = json.loads(said)
            return found

        if process.stdout.readline() != "ready\n":
            raise RuntimeError("the boards did not open")
        try:
            yield turn, ended
        finally:
            told.close()

"""What thousands of open boards cost the sale: the same sales with and without them.

The boards are the crowd's, whose processor time is taken from the sale as well: both run on this
machine, and the ratio has it against us.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from random import Random
from typing import Any

from django.db import connections

from core.embedded.server import ROOT
from core.embedded.stack import Stack
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.services import chart
from lototrot.services.contests import contest_publish
from tests import factories, settling
from tests.bench import client
from tests.bench.pairs import interleave
from tests.bench.raw import CONNECTIONS
from tests.bench.sale import Sales

BOARDS = 3_200
RULES = {"ca": "Regles", "es": "Reglas", "en": "Rules"}
# A change is made so long after the sales began, and has so long to be on every board.
CHANGED_AFTER_S, CHANGE_S = 1.0, 9.0


def measure(stack: Stack, *, pairs: int, seconds: float) -> dict[str, float]:
    """The keys `boards.*`; `sale_ratio` is sales per second with the boards over without.

    `crowd_cpu_share` is the crowd's part of one processor; `late_ms` the longest that anything can
    have waited to be on a board. `change_ms` is a change's way from its commit to the last board,
    when all boards read a new document while sales go on: a run of its own.
    """
    contest = factories.contest(factories.meeting(numbers=range(1, 16)))
    contest_publish(by=factories.staff(Role.ORGANISER), contest=contest, rules=RULES)
    points = [factories.point() for _ in range(CONNECTIONS)]
    for point in points:
        factories.acknowledge(contest, point)
    sales = Sales(contest, points, Random(20061105))
    crowds: list[dict[str, Any]] = []

    def alone(seconds: float = seconds) -> float:
        load = client.run(
            stack.base_url, connections=CONNECTIONS, seconds=seconds, request=sales.request
        )
        if set(load.statuses) != {201}:
            raise RuntimeError(f"sales were refused: {dict(load.statuses)}")
        return load.per_s(201)

    def watched() -> float:
        per_s, crowd = _with_crowd(stack.live_url, alone)
        crowds.append(crowd)
        return per_s

    measured = interleave(alone, watched, pairs=pairs)
    counted = crowds[1:]
    took_s = sum(crowd["seconds"] for crowd in counted)
    return {
        "boards.sale_ratio": measured.ratio,
        "boards.open": float(BOARDS),
        "boards.answers_per_s": sum(crowd["answers"] for crowd in counted) / took_s,
        "boards.crowd_cpu_share": sum(crowd["cpu_s"] for crowd in counted) / took_s,
        "boards.late_ms": max(crowd["late_s"] for crowd in counted) * 1000,
        "boards.change_ms": _change_ms(stack.live_url, contest, lambda: alone(CHANGE_S)),
    }


def _change_ms(live_url: str, contest: Contest, act: Callable[[], float]) -> float:
    """From the commit of a change to when the last board has read the document that shows it."""
    committed: list[float] = []

    def change() -> None:
        settling.fund(chart.jackpot(contest.bet_type_code), 100_00)
        committed.append(time.time())
        connections.close_all()

    timer = threading.Timer(CHANGED_AFTER_S, change)

    def changing() -> float:
        timer.start()
        return act()

    _, crowd = _with_crowd(live_url, changing)
    timer.join()
    shown = [last for many, last in crowd["documents"].values() if many == BOARDS]
    if len(shown) != 1:
        raise RuntimeError(f"the change is not on every board: {crowd}")
    return (shown[0] - committed[0]) * 1000


def _with_crowd(live_url: str, act: Callable[[], float]) -> tuple[float, dict[str, Any]]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.crowd", live_url, str(BOARDS)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        if process.stdout is None or process.stdout.readline() != "ready\n":
            raise RuntimeError("the boards did not open")
        began = time.monotonic()
        try:
            per_s = act()
        finally:
            seconds = time.monotonic() - began
            said, _ = process.communicate(timeout=60)
    if process.returncode:
        raise RuntimeError("a board failed")
    crowd: dict[str, Any] = json.loads(said)
    return per_s, crowd | {"seconds": seconds}

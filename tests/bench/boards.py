"""What thousands of open boards cost the sale: the same sales with and without them."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

from core.embedded.server import ROOT
from core.embedded.stack import Stack
from core.staff.powers import Role
from lototrot.services.contests import contest_publish
from tests import factories
from tests.bench import client
from tests.bench.pairs import interleave
from tests.bench.raw import CONNECTIONS
from tests.bench.sale import Sales

BOARDS = 3_200
RULES = {"ca": "Regles", "es": "Reglas", "en": "Rules"}


def measure(stack: Stack, *, pairs: int, seconds: float) -> dict[str, float]:
    """The keys `boards.*`; `sale_ratio` is sales per second with the boards over without."""
    contest = factories.contest(factories.meeting(numbers=range(1, 16)))
    contest_publish(by=factories.staff(Role.ORGANISER), contest=contest, rules=RULES)
    points = [factories.point() for _ in range(CONNECTIONS)]
    for point in points:
        factories.acknowledge(contest, point)
    sales = Sales(contest, points, Random(20061105))
    crowds: list[dict[str, Any]] = []

    def alone() -> float:
        load = client.run(
            stack.base_url, connections=CONNECTIONS, seconds=seconds, request=sales.request
        )
        if set(load.statuses) != {201}:
            raise RuntimeError(f"sales were refused: {dict(load.statuses)}")
        return load.per_s(201)

    def watched() -> float:
        per_s, crowd = _with_crowd(stack.base_url, alone)
        crowds.append(crowd)
        return per_s

    measured = interleave(alone, watched, pairs=pairs)
    counted = crowds[1:]
    return {
        "boards.sale_ratio": measured.ratio,
        "boards.open": float(BOARDS),
        "boards.answers_per_s": sum(c["answers"] / c["seconds"] for c in counted) / len(counted),
        "boards.crowd_cpu_share": sum(c["cpu_s"] / c["seconds"] for c in counted) / len(counted),
        "boards.late_ms": max(c["late_ms"] for c in counted),
    }


def _with_crowd(base_url: str, act: Callable[[], float]) -> tuple[float, dict[str, Any]]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.bench.crowd", base_url, str(BOARDS)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        if process.stdout is None or process.stdout.readline() != "ready\n":
            process.kill()
            raise RuntimeError("the boards did not open")
        began = time.monotonic()
        per_s = act()
        said, _ = process.communicate(timeout=60)
    crowd: dict[str, Any] = json.loads(said) | {"seconds": time.monotonic() - began}
    if crowd["failures"]:
        raise RuntimeError(f"boards failed: {crowd}")
    return per_s, crowd

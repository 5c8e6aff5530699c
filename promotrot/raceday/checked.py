"""The sold-out emission seen from outside: its seed is revealed, and every ticket recomputed."""

import tempfile
import time
from pathlib import Path

from core.tools.raceday.outside import Outsider
from core.tools.raceday.show import step
from core.tools.raceday.stage import Stage, need
from promotrot.raceday.players import Emission

PATIENCE_S = 60


def look_from_outside(stage: Stage, emission: Emission) -> None:
    """Check the emission with verify/emission.py alone; then give a winning ticket to another."""
    public = f"promotrot/public/emissions/{emission['reference']}"
    _revealed(stage, public)
    with tempfile.TemporaryDirectory() as folder:
        outsider = Outsider(stage.api, Path(folder))
        log, key = outsider.log(), outsider.key
        listed = stage.api.raw("GET", f"{public}/tickets.csv").decode()
        tickets = outsider.keep("tickets.csv", listed.encode())
        outsider.check("emission.py", log, key, emission["reference"], tickets)
        forged = outsider.keep("forged.csv", _forged(listed).encode())
        outsider.refuse(
            "a prize on another ticket", "emission.py", log, key, emission["reference"], forged
        )


def _revealed(stage: Stage, public: str) -> None:
    """Wait for the worker that reveals the seed."""
    deadline = time.monotonic() + PATIENCE_S
    while stage.api.get(public)["state"] != "revealed":
        need(time.monotonic() < deadline, "the seed is not revealed")
        time.sleep(0.5)
    step("the seed is revealed by a worker")


def _forged(listed: str) -> str:
    """The list with the tiers of two of its tickets exchanged."""
    head, *lines = listed.splitlines()
    first = lines[0].rpartition(",")[2]
    other = next(at for at, line in enumerate(lines) if line.rpartition(",")[2] != first)
    second = lines[other].rpartition(",")[2]
    lines[0] = lines[0].rpartition(",")[0] + f",{second}"
    lines[other] = lines[other].rpartition(",")[0] + f",{first}"
    return "\n".join([head, *lines, ""])

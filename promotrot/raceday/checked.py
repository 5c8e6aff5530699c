"""Check the sold-out emission from outside: its seed is revealed, every ticket recomputed."""

import tempfile
from pathlib import Path

from core.tools.raceday.outside import Check, Outsider
from core.tools.raceday.show import doing, step
from core.tools.raceday.stage import Stage, wait_for
from promotrot.raceday.players import Emission

PATIENCE_S = 60


def look_from_outside(stage: Stage, emission: Emission) -> None:
    """Check the emission, then with the tiers of two tickets exchanged; list all emissions."""
    public = f"promotrot/public/emissions/{emission['reference']}"
    _revealed(stage, public)
    with tempfile.TemporaryDirectory() as folder:
        outsider = Outsider(stage.api, Path(folder))
        log, key = outsider.log(), outsider.key
        listed = stage.api.raw("GET", f"{public}/tickets.csv").decode()
        tickets = outsider.keep("tickets.csv", listed.encode())
        forged = outsider.keep("forged.csv", _forged(listed).encode())
        words = (log, key, emission["reference"])
        outsider.check_all(
            [
                Check("emission.py", (*words, tickets)),
                Check("emission.py", (*words, forged), "a prize on another ticket"),
                Check("emissions.py", (log, key)),
            ]
        )


def _revealed(stage: Stage, public: str) -> None:
    """Wait until a worker has revealed the seed."""
    doing("waiting until the seed is published")

    def look() -> bool | None:
        return True if stage.api.get(public)["state"] == "revealed" else None

    wait_for(look, "the seed of the emission", within_s=PATIENCE_S)
    step("The secret that placed the prizes is published")


def _forged(listed: str) -> str:
    """Return the list of tickets with the tiers of two exchanged."""
    head, *lines = listed.splitlines()
    first = lines[0].rpartition(",")[2]
    other = next(at for at, line in enumerate(lines) if line.rpartition(",")[2] != first)
    second = lines[other].rpartition(",")[2]
    lines[0] = lines[0].rpartition(",")[0] + f",{second}"
    lines[other] = lines[other].rpartition(",")[0] + f",{first}"
    return "\n".join([head, *lines, ""])

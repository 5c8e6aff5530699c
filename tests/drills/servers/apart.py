"""Do the drills that need no cluster, each in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from time import monotonic

from core.tools.embedded.server import ROOT
from tests.drills.outcomes import Outcome
from tests.drills.servers.moving import MOVES

PROGRAMS: Mapping[str, tuple[str, ...]] = {
    "everything": ("everything",),
    **{name: ("moving", name) for name in MOVES},
}
"""The drills by name, each with the module beside this one that does it, and its words."""


def run(names: list[str], rounds: int, seed: int) -> Mapping[str, Outcome]:
    """Do the drills one after another. With `rounds` 0 each does as many as it usually does."""
    outcomes: dict[str, Outcome] = {}
    for name in names:
        began = monotonic()
        module, *words = PROGRAMS[name]
        done = subprocess.run(
            [sys.executable, "-m", f"tests.drills.servers.{module}", *words],
            cwd=ROOT,
            env={**os.environ, "ROUNDS": str(rounds or ""), "SEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            outcomes[name] = Outcome(notes=["did not end"])
        else:
            outcomes[name] = Outcome(**json.loads(done.stdout.splitlines()[-1]))
        outcomes[name].end(monotonic() - began, seed, "one machine")
        print(f"{name}: {outcomes[name].as_json()}", flush=True)
    return outcomes

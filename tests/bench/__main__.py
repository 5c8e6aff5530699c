"""`make bench`: measure on this machine, print a table, write `var/bench.json`.

Every ratio is to a baseline measured in the same run, in turn with it. BENCH=small takes a
twentieth of the size. What can be measured alone is named as an argument: `terminal`, `sale`,
`boards`, `play`, `emission`, `pay`, `journal`, `settlement`, `seal`, `nightly`.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack

FULL, SMALL = 1.0, 0.05
PAIRS = 5
SALE_S = 10.0


def main(parts: list[str]) -> int:
    scale = SMALL if os.environ.get("BENCH") == "small" else FULL
    began = time.monotonic()
    figures: dict[str, float] = {}
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        Stack(folder=Path(folder), web_processes=2, workers=0, beat=False) as stack,
    ):
        os.environ |= {
            name: stack.environment[name]
            for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL")
        }
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
        import django

        django.setup()
        measures = _measures(stack, scale, {*parts})
        if unknown := {*parts} - {*measures}:
            raise SystemExit(f"{', '.join(sorted(unknown))}: none of {', '.join(measures)}")
        for name, measure in measures.items():
            if name in parts or not parts:
                found = measure()
                print("\n".join(f"{key:36} {value:>16,.3f}" for key, value in found.items()))
                figures |= found
    figures |= {"bench.scale": scale, "bench.seconds": time.monotonic() - began}
    target = ROOT / "var" / "bench.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


def _measures(
    stack: Stack, scale: float, parts: set[str]
) -> dict[str, Callable[[], dict[str, float]]]:
    """What can be measured, by name. Settling and sealing, if both are asked for, share tickets."""
    from tests.bench import (
        boards,
        emission,
        journal,
        nightly,
        pay,
        play,
        sale,
        settlement,
        terminal,
    )

    served = {"stack": stack, "pairs": PAIRS, "seconds": max(2.0, SALE_S * scale)}
    filled = {"stack": stack, "pairs": PAIRS, "scale": scale}
    both = not parts or {"settlement", "seal"} <= parts
    return {
        "terminal": lambda: terminal.measure(
            stack, scale=scale
        ),  # first: its board has one contest
        "sale": lambda: sale.measure(**served),
        "boards": lambda: boards.measure(stack, pairs=PAIRS, seconds=max(4.0, SALE_S * scale)),
        "play": lambda: play.measure(**served),
        "emission": emission.measure,
        "pay": lambda: pay.measure(**served),
        "journal": lambda: journal.measure(**served),
        "settlement": lambda: settlement.measure(**filled, sealing=both, settling_too=True),
        "seal": lambda: (
            {} if both else settlement.measure(**filled, sealing=True, settling_too=False)
        ),
        "nightly": lambda: nightly.measure(**filled),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

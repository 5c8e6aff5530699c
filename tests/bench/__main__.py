"""`make bench`: measure on this machine, print a table, write `var/bench.json`.

Every ratio is to a baseline measured in the same run, in turn with it. BENCH=small takes a
twentieth of the size. What can be measured alone is named as an argument: `sale`, `boards`, `play`,
`emission`, `journal`, `seal`, `settlement`, `nightly`, `terminal`.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from core.embedded.server import ROOT
from core.embedded.stack import Stack

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

        if not parts or "sale" in parts:
            seconds = max(2.0, SALE_S * scale)
            figures |= sale.measure(stack, pairs=PAIRS, seconds=seconds)
        if not parts or "boards" in parts:
            figures |= boards.measure(stack, pairs=PAIRS, seconds=max(4.0, SALE_S * scale))
        if not parts or "play" in parts:
            figures |= play.measure(stack, pairs=PAIRS, seconds=max(2.0, SALE_S * scale))
        if not parts or "emission" in parts:
            figures |= emission.measure()
        if not parts or "pay" in parts:
            figures |= pay.measure(stack, pairs=PAIRS, seconds=max(2.0, SALE_S * scale))
        if not parts or "journal" in parts:
            figures |= journal.measure(stack, pairs=PAIRS, seconds=max(2.0, SALE_S * scale))
        if not parts or "terminal" in parts:
            figures |= terminal.measure(stack, scale=scale)
        if not parts or {"settlement", "seal"} & {*parts}:
            figures |= settlement.measure(
                stack, pairs=PAIRS, scale=scale, sealing=not parts or "seal" in parts,
                settling_too=not parts or "settlement" in parts,
            )  # fmt: skip
        if not parts or "nightly" in parts:
            figures |= nightly.measure(stack, pairs=PAIRS, scale=scale)
    figures["bench.scale"] = scale
    figures["bench.seconds"] = time.monotonic() - began
    for name, value in figures.items():
        print(f"{name:36} {value:>16,.3f}")
    target = ROOT / "var" / "bench.json"
    target.parent.mkdir(exist_ok=True)
    target.write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

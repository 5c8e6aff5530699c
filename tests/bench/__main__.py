"""`make bench`: measure this machine, print a table, and write `var/bench.json`.

    python -m tests.bench [PART...]

Without names every part is measured; `seal` stands for `seal:multiple` and `seal:single`. A part
that fails does not stop the others: the command then ends with 1 and names it. BENCH=quarter takes
a quarter of the data, BENCH=small a twentieth, and BENCH=tiny runs every part once. BENCH_FIGURES
names another file for the figures. Every ratio is to a baseline that is measured in the same run,
in turn with ours.
"""

import os
import sys
import tempfile
from pathlib import Path

from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack
from tests.bench.size import SIZES

# Parts ask for public things at the speed of the machine; `flood` measures the limits.
UNLIMITED = {"ANONYMOUS_PER_S": "1000000", "ANONYMOUS_TOTAL_PER_S": "1000000"}


def main(names: list[str]) -> int:
    """Measure the named parts on a new system. Return the exit code of the command."""
    os.environ["PROFILE"] = "development"
    size_name = os.environ.get("BENCH") or "full"
    if size_name not in SIZES:
        print(f"BENCH={size_name}: choose one of {', '.join(SIZES)}.", file=sys.stderr)
        return 2
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        Stack(
            folder=Path(folder),
            environment=UNLIMITED,
            sales_processes=2,
            workers=0,
            beat=False,
        ) as stack,
    ):
        os.environ |= {
            name: stack.environment[name]
            for name in ("DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL")
        }
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
        import django

        django.setup()
        # Parts import models, which need the settings.
        from tests.bench import running
        from tests.bench.store import Store

        try:
            parts = running.chosen(names)
        except ValueError as error:
            print(error, file=sys.stderr)
            return 2
        store = Store(stack, SIZES[size_name])
        target = os.environ.get("BENCH_FIGURES") or ROOT / "var" / "bench.json"
        return running.run(store, parts, target=Path(target))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

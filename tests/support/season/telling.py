"""Print the progress of a season: a line of progress, a table at its end, figures in a file."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from tests.support.season.world import World

BAR_CHARS = 40
TOLD_TIMES = 15


class Teller:
    """Tell one season of so many meetings to a person who watches."""

    def __init__(self, seed: int, meetings: int) -> None:
        self.seed = seed
        self.meetings = meetings
        self.began = time.monotonic()
        self.is_terminal = sys.stdout.isatty()
        print(f"SEASON_SEED={seed} SEASON_MEETINGS={meetings}", flush=True)

    @property
    def spent_s(self) -> float:
        return round(time.monotonic() - self.began, 1)

    def progress(self, world: World, held: int) -> None:
        """Redraw the bar; where the output is no terminal, write a line now and then."""
        if not self.is_terminal and held % max(1, self.meetings // TOLD_TIMES):
            return
        full = BAR_CHARS * held // self.meetings
        tickets, wrong = world.counts.get("tickets", 0), sum(world.incidents.values())
        print(
            f"{'#' * full}{'.' * (BAR_CHARS - full)} {held:4} of {self.meetings} meetings,"
            f" {tickets} tickets, {wrong} incidents, {self.spent_s:.0f} s",
            end="\r" if self.is_terminal and held < self.meetings else "\n",
            flush=True,
        )

    def figures(self, world: World) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "meetings": self.meetings,
            "emissions": world.counts.get("emissions", 0),
            "tickets": world.counts.get("tickets", 0),
            "incidents": dict(sorted(world.incidents.items())),
            "cents_apart": world.cents_apart,
            "rights_lost": len(world.rights.lost()),
            "claims": len(world.rights.by_document),
            "counts": dict(sorted(world.counts.items())),
            "seconds": self.spent_s,
        }

    def end(self, world: World, file: Path | None) -> None:
        """Print the table, and write the figures if there is a file for them."""
        figures = self.figures(world)
        rows = [("", ""), ("incidents", "")]
        rows += [(f"  {name}", str(many)) for name, many in figures["incidents"].items()]
        rows += [("counted", "")]
        rows += [(f"  {name}", str(many)) for name, many in figures["counts"].items()]
        plain = ("meetings", "emissions", "tickets", "claims", "cents_apart", "rights_lost")
        rows += [(name, str(figures[name])) for name in (*plain, "seconds")]
        for name, many in rows:
            print(f"{name:45} {many:>8}".rstrip())
        for right in world.rights.lost():
            print(f"LOST {right}")
        sys.stdout.flush()
        if file is not None:
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(figures, indent=2) + "\n")

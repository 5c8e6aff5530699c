"""Run the parts one after another, keep their figures, and say which failed."""

import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from django.db import connections

from tests.bench.parts import (
    boards,
    cost,
    decade,
    emission,
    flood,
    journal,
    lists,
    log,
    nightly,
    partitions,
    pay,
    pay_cost,
    play,
    play_cost,
    sale,
    seal,
    settlement,
    stop,
    terminal,
)
from tests.bench.store import Figures, Skipped, Store
from tests.bench.table import lines

Measure = Callable[[Store], Figures]

PARTS: Mapping[str, Measure] = {
    "terminal": terminal.measure,
    "sale": sale.measure,
    "cost": cost.measure,
    "stop": stop.measure,
    "boards": boards.measure,
    "flood": flood.measure,
    "play": play.measure,
    "play_cost": play_cost.measure,
    "emission": emission.measure,
    "pay": pay.measure,
    "pay_cost": pay_cost.measure,
    "journal": journal.measure,
    "seal:multiple": partial(seal.measure, kind="multiple"),
    "settlement:multiple": partial(settlement.measure, kind="multiple"),
    "seal:single": partial(seal.measure, kind="single"),
    "settlement:single": partial(settlement.measure, kind="single"),
    "nightly": nightly.measure,
    "lists": lists.measure,
    "partitions": partitions.measure,
    "log:decade": partial(log.measure, mix="decade"),
    "log:service": partial(log.measure, mix="service"),
    "decade": decade.measure,
}
"""The parts in the order in which all are measured: sealing hands its tickets to settling."""


ALONE = frozenset({"decade", "lists", "log:decade", "log:service"})
"""Parts on a system of their own: a history begins where nothing was sold before, and the rows of a
list are tickets that nobody sold."""


def chosen(names: Sequence[str]) -> list[str]:
    """Return the parts of these names in their order, all parts for no name.

    Raise ValueError for an unknown name.
    """
    parts: list[str] = []
    for name in names:
        matching = [part for part in PARTS if part == name or part.startswith(f"{name}:")]
        if not matching:
            raise ValueError(f"There is no part {name!r}; the parts are {', '.join(PARTS)}.")
        parts += matching
    return parts or list(PARTS)


def run(store: Store, parts: Sequence[str], *, target: Path) -> int:
    """Measure the parts, write their figures to `target` after each, and print them at the end.

    Return 1 if a part failed, else 0. A part that is skipped has not failed.
    """
    began = time.monotonic()
    figures: Figures = {}
    skipped: list[str] = []
    failed: list[str] = []
    for number, name in enumerate(parts, start=1):
        print(f"{name} ({number} of {len(parts)}) ...", flush=True)
        part_began = time.monotonic()
        try:
            figures |= _alone(name) if name in ALONE and len(parts) > 1 else PARTS[name](store)
        except Skipped as reason:
            skipped.append(f"{name}: skipped, {reason}")
        except Exception:  # noqa: BLE001  (the other parts go on)
            traceback.print_exc()
            failed.append(name)
            connections.close_all()
        print(f"{name} took {time.monotonic() - part_began:.0f} s", flush=True)
        figures |= _summary(figures)
        _write(target, figures, scale=store.size.scale, seconds=time.monotonic() - began)
    print("\n".join(["", *lines(figures), "", *skipped]))
    if failed:
        print(f"FAILED: {', '.join(dict.fromkeys(failed))}", flush=True)
    return 1 if failed else 0


def _alone(name: str) -> Figures:
    """Measure a part by this command, with its own servers. Return its figures."""
    others = ("DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL")
    ours = {key: value for key, value in os.environ.items() if key not in others}
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "figures.json")
        command = [sys.executable, "-m", "tests.bench", name]
        subprocess.run(command, env=ours | {"BENCH_FIGURES": str(target)}, check=True)
        figures: Figures = json.loads(target.read_text())
    prefix = name.replace(":", ".") + "."
    return {key: value for key, value in figures.items() if key.startswith(prefix)}


_OF_BOTH = (
    ("seal", "ratio"),
    ("seal", "verify_s"),
    ("settlement", "ratio"),
    ("settlement", "last_result_to_order_s"),
)


def _summary(figures: Figures) -> Figures:
    """Return the worse of both kinds of tickets, for the figures that have one name for both."""
    kinds = ("multiple", "single")
    summary: Figures = {}
    for part, name in _OF_BOTH:
        both = [figures.get(f"{part}.{kind}.{name}") for kind in kinds]
        values = [value for value in both if value is not None]
        if len(values) == len(kinds):
            summary[f"{part}.{name}"] = max(values)
    if "seal.multiple.proof_p99_ms" in figures:
        summary["seal.proof_p99_ms"] = figures["seal.multiple.proof_p99_ms"]
    return summary


def _write(target: Path, figures: Figures, *, scale: float, seconds: float) -> None:
    target.parent.mkdir(exist_ok=True)
    all_figures = figures | {"bench.scale": scale, "bench.seconds": seconds}
    target.write_text(json.dumps(all_figures, indent=1) + "\n")

"""`make drill`: break machines under load, most of them of a cluster; count what is lost.

    DRILLS=primary,web python -m tests.drills

Without DRILLS all are done. ROUNDS=n does n rounds of each; SEED=n repeats a run's choices. The
figures go to var/drill.json, beside those of other drills; after a run of all the table goes to
docs/drills.md. The exit code is 1 if a drill did not pass.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import psycopg

from core.tools.cluster import software
from core.tools.cluster.__main__ import new_folder
from core.tools.cluster.network import Namespaces, enter_own_network, network
from core.tools.embedded.processes import EmbeddedError, server_account
from core.tools.embedded.server import var_folder
from tests.drills import (
    hampering,
    killing,
    losing,
    migrating,
    oneway,
    pooling,
    restoring,
    rolling,
    services,
    sharing,
    slowing,
)
from tests.drills.crowds import storming
from tests.drills.ground import Ground, ground
from tests.drills.outcomes import FIGURES, PAGE, Outcome, counted, page, table, write
from tests.drills.servers import apart

Drill = Callable[[Ground, int], Outcome]
DRILLS: Mapping[str, tuple[Drill, int]] = {
    "primary": (losing.primary, 20),
    "machine": (losing.machine, 3),
    "silent": (losing.silent, 3),
    "standby": (losing.standby, 2),
    "web": (killing.web, 3),
    "worker": (partial(services.process, kind="worker"), 2),
    "beat": (partial(services.process, kind="beat"), 2),
    "live": (partial(services.process, kind="live"), 2),
    "broker": (killing.broker, 2),
    "proxy": (killing.proxy, 3),
    "receiver": (services.receiver, 2),
    "migrate": (migrating.migrate, 20),
    "rolling": (rolling.rolling, 1),
    "storm": (storming.storm, 1),
    "histories": (sharing.histories, 2),
    "restore": (restoring.restore, 1),
    "paused": (hampering.paused, 2),
    "oneway": (oneway.oneway, 1),
    "slowdisk": (slowing.slowdisk, 2),
    "disk": (hampering.disk, 2),
    "pooler": (pooling.pooler, 2),
    "clock": (hampering.clock, 2),
}
"""The drills by name, with their number of rounds. The last leaves tickets with wrong times."""
EVERY = (*DRILLS, *apart.PROGRAMS)
"""All drills by name. Those that need no cluster come last."""
SHORT: Mapping[str, tuple[Drill, int]] = {"short": (losing.short, 1)}
"""The drill of `.ci/run`, which is skipped where this machine allows no cluster of namespaces."""


def chosen(names: str) -> list[str]:
    """Return the drills of names with commas in the table's order, all for none.

    Raise ValueError for another name.
    """
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    if wanted == list(SHORT):
        return wanted
    unknown = [name for name in wanted if name not in EVERY]
    if unknown:
        raise ValueError(f"no such drill: {', '.join(unknown)}; there are {', '.join(EVERY)}")
    return [name for name in EVERY if name in wanted] or list(EVERY)


def run(at: Ground, names: list[str], rounds: int, target: Path) -> dict[str, Outcome]:
    """Do the drills one after another; write the figures after each."""
    outcomes: dict[str, Outcome] = {}
    for number, name in enumerate(names, 1):
        drill, usual = {**DRILLS, **SHORT}[name]
        bar = "█" * number + "·" * (len(names) - number)
        print(f"{bar} {name} ({number} of {len(names)}): {rounds or usual} rounds", flush=True)
        began = time.monotonic()
        try:
            at.begin_anew()
            outcomes[name] = drill(at, rounds or usual)
        except (EmbeddedError, OSError, psycopg.Error) as fault:  # a TimeoutError is an OSError
            outcomes[name] = Outcome(notes=[f"did not end: {fault}"[-400:]])
            at.recover()
        outcomes[name].end(time.monotonic() - began, at.seed, at.cluster.network.words)
        refused = dict(at.crowd.answers.refused)
        if refused:
            outcomes[name].notes.append(f"refused for good: {counted(refused)}")
        if name in DRILLS:
            write(target, outcomes, at.seed)
        for note in outcomes[name].notes:
            print(f"    {note}", flush=True)
    return outcomes


def main() -> int:
    try:
        names = chosen(os.environ.get("DRILLS", ""))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    seed = int(os.environ.get("SEED") or time.time())
    rounds = int(os.environ.get("ROUNDS") or 0)
    os.environ["PROFILE"] = "development"
    without_cluster = [name for name in names if name in apart.PROGRAMS]
    outcomes = dict(apart.run(without_cluster, rounds, seed))
    if without_cluster:
        write(FIGURES, outcomes, seed)
    of_cluster = [name for name in names if name not in apart.PROGRAMS]
    if of_cluster:
        outcomes = on_cluster(of_cluster, rounds, seed) | outcomes
    print("\n" + table(outcomes))
    if names == list(EVERY):
        PAGE.write_text(page(outcomes))
    return 0 if all(outcome.passed for outcome in outcomes.values()) else 1


def on_cluster(names: list[str], rounds: int, seed: int) -> dict[str, Outcome]:
    """Do drills on a cluster; return nothing if the short one is skipped on this machine."""
    try:
        account = server_account(Path("/nonexistent"))
        software.installed(var_folder() / "cluster-software", account)
        if "restore" in names:
            software.barman(var_folder(), account)
    except subprocess.CalledProcessError:
        if names != list(SHORT):
            raise
        print("the short drill is skipped: Patroni and etcd cannot be installed here")
        return {}
    os.environ["SEED"] = str(seed)
    enter_own_network()
    where = network()
    if names == list(SHORT) and not isinstance(where, Namespaces):
        print("the short drill is skipped: network namespaces are not allowed here")
        return {}
    print(f"seed {seed}; starting the cluster", flush=True)
    began = time.monotonic()
    with ExitStack() as running:
        try:
            at = running.enter_context(ground(new_folder("drill"), where, seed))
        except (EmbeddedError, OSError) as fault:
            if names != list(SHORT):
                raise
            print(f"the short drill is skipped: the cluster did not start here: {fault}"[:2000])
            return {}
        print(f"ready after {time.monotonic() - began:.0f} s", flush=True)
        return run(at, names, rounds, FIGURES)


if __name__ == "__main__":
    sys.exit(main())

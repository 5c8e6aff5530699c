"""The drill of a rolling restart, and of a rolling upgrade to the next version and back."""

import json
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

import psycopg
from psycopg import sql

from core.tools.cluster.cluster import HOSTS
from core.tools.cluster.machines import marked
from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.server import ROOT
from tests.drills import next_version
from tests.drills.ground import Ground
from tests.drills.migrating import Window, burn, children_s, compared
from tests.drills.outcomes import Outcome

_P99_MS = 1000.0
_READY_WITHIN_S = 120.0
_SETTLES_S = 4.0
"""A process that answers nobody is given so long before the next one is restarted."""
_ALONE_S = 10.0
_TOGETHER_S = 10.0
_BURNT = 0.25
"""Processes that only calculate take this share of the time of the starts."""
_SALES_PORT = 8000
_FILLED = "SELECT count(*) FROM lototrot_ticket WHERE {column} = {number}"


def rolling(ground: Ground, rounds: int) -> Outcome:
    """Restart every process of the hosts, one after another, with the next version; then go back.

    The next version migrates while the old one serves, both sell together for a while, and the way
    back is a rolling restart with the old one. Every start takes this machine's
    processors from sales, so it is judged as `migrate` is. Twin: all web processes of both hosts
    are killed at once.
    """
    outcome, ours, burners, alone = Outcome(), Window(), Window(), Window()
    try:
        for number in range(1, rounds + 1):
            spent_s: list[float] = []
            acts = _acts(ground, number, spent_s)
            with ground.selling() as crowd:
                alone.add(crowd, partial(time.sleep, _ALONE_S))
                for act in acts:
                    ours.add(crowd, act)
                burners.add(crowd, lambda spent_s=spent_s: [burn(s * _BURNT) for s in spent_s])
            ground.audit(outcome)
            if not _filled(ground, number):
                outcome.lost += 1
                outcome.notes.append("no ticket was sold by the next version's function")
            outcome.rounds += 1
    finally:
        _run_from(ground, ROOT)
    refused = ground.note_refusals(outcome)
    outcome.twin_lost = _twin(ground)
    slow = compared(outcome, ours, burners, alone, _P99_MS)
    faulty = outcome.lost or outcome.invented or not outcome.twin_lost
    outcome.passed = not (faulty or slow or refused)
    return outcome


def _acts(ground: Ground, number: int, spent_s: list[float]) -> list[Callable[[], object]]:
    """Return what is done in a round, in order."""
    following = ground.cluster.folder / "next"
    version = next_version.write(following, number)
    first, second = HOSTS

    def restart(host: str, program: Path) -> Callable[[], object]:
        return partial(_restart, ground, host, program, spent_s)

    return [
        partial(_migrate, ground, following, spent_s),
        restart(first, following),
        partial(_sell_together, ground, version),
        restart(second, following),
        *(restart(host, ROOT) for host in HOSTS),
    ]


def _restart(ground: Ground, host: str, program: Path, spent_s: list[float]) -> None:
    """Restart the processes of a host with the program of a folder; add the processor's seconds."""
    machine = ground.cluster.machines[host]
    for name, child in machine.children.items():
        child.program = program
        before = marked(machine.mark)
        machine.restart_one(name, _READY_WITHIN_S)
        if name not in ("sales", "play"):
            time.sleep(_SETTLES_S)
        spent_s.append(_processor_s([pid for pid in marked(machine.mark) if pid not in before]))


def _processor_s(pids: Sequence[int]) -> float:
    """Return the processor's seconds that these processes took so far."""
    ticks = 0
    for pid in pids:
        try:
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(words[11]) + int(words[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _migrate(ground: Ground, program: Path, spent_s: list[float]) -> None:
    before = children_s()
    ground.cluster.command("migrate", "--database", "owner", "--no-input", program=program)
    spent_s.append(children_s() - before)


def _sell_together(ground: Ground, version: str) -> None:
    """Sell by both versions for a while, after a check that they are two."""
    versions = [_version(ground.cluster.machines[host].address) for host in HOSTS]
    if versions[0] != version or versions[1] == version:
        raise EmbeddedError(f"the hosts run {versions}, and not {version} and the one before")
    time.sleep(_TOGETHER_S)


def _version(address: str) -> str:
    connection = HTTPConnection(address, _SALES_PORT, timeout=10)
    try:
        connection.request("GET", "/livez")
        return str(json.loads(connection.getresponse().read())["version"])
    finally:
        connection.close()


def _run_from(ground: Ground, program: Path) -> None:
    """Set the folder that the hosts' processes run when they start or start again."""
    for host in HOSTS:
        for child in ground.cluster.machines[host].children.values():
            child.program = program


def _filled(ground: Ground, number: int) -> bool:
    """Return whether tickets have the column as the next version's function fills it."""
    column = sql.Identifier(next_version.column_of(number))
    with psycopg.connect(ground.cluster.environment["DATABASE_OWNER_URL"]) as session:
        row = session.execute(sql.SQL(_FILLED).format(column=column, number=number)).fetchone()
    return bool(row and row[0])


def _twin(ground: Ground) -> int:
    """Kill the web processes of both hosts at once and start them again.

    Return how many acts took over a second if the 99th percentile did, else 0.
    """
    met, machines = Window(), [ground.cluster.machines[host] for host in HOSTS]

    def at_once() -> None:
        for machine in machines:
            for name in ("sales", "play"):
                machine.children[name].kill()
        for machine in machines:
            machine.start()
        for machine in machines:
            machine.wait_ready(_READY_WITHIN_S)

    with ground.selling() as crowd:
        met.add(crowd, at_once)
    return sum(ms > _P99_MS for ms in met.times_ms) if met.p99_ms > _P99_MS else 0

"""The drill of a slow disk: every fsync of a machine takes 50 ms more."""

import time
from collections.abc import Mapping, Sequence

from core.tools.cluster import slow_disk
from core.tools.cluster.cluster import DATABASES
from core.tools.embedded.processes import EmbeddedError
from tests.bench.pairs import percentile
from tests.drills.crowd import Crowd
from tests.drills.ground import Ground
from tests.drills.hampering import switch_over
from tests.drills.losing import AIM_S, LEASE_S
from tests.drills.outcomes import Outcome

FSYNC_MS = 50
_MEASURED_S = 20.0
_WITHIN_S = 120.0
Commands = Mapping[str, Sequence[str]]


def slowdisk(ground: Ground, rounds: int) -> Outcome:
    """Sell on a primary whose disk is slow, then kill its machine.

    In every second round all three disks are slow. Every fsync of PostgreSQL and of etcd takes 50
    ms more, and nothing else does. An act that takes less would show that they do not. Twin: the
    primary answers before it has written to its disk.
    """
    if not slow_disk.available():
        raise EmbeddedError("no fsync can be made slow on this kind of machine")
    outcome, cluster = Outcome(), ground.cluster
    quick_ms, slow_ms, rates = list[float](), list[float](), list[int]()
    for number in range(rounds):
        leader = cluster.wait_primary()
        chosen, other = (name for name in DATABASES if name != leader)
        slow = [chosen, other, leader] if number % 2 else [chosen]
        usual = {name: _commands(ground, name) for name in slow}
        with ground.selling() as crowd:
            quick_ms += _times_ms(crowd)
        try:
            _switch_on(ground, chosen, _slow(usual[chosen]))
            switch_over(ground, leader, chosen)
            for name in slow[1:]:
                _switch_on(ground, name, _slow(usual[name]))
            with ground.selling() as crowd:
                times_ms = _times_ms(crowd)
                slow_ms += times_ms
                cluster.machines[chosen].kill()
                killed = time.monotonic()
                outcome.first_sales_s.append(crowd.first_sale_after(killed, _WITHIN_S))
                crowd.wait_sales()
        finally:
            for name in slow:
                _switch_on(ground, name, usual[name])
        rates.append(round(len(times_ms) / _MEASURED_S))
        ground.audit(outcome)
        outcome.rounds += 1
    refused = ground.note_refusals(outcome)
    measured_s = rounds * _MEASURED_S
    outcome.figures |= {
        "acts_per_s": round(len(slow_ms) / measured_s),
        "acts_per_s_with_quick_disks": round(len(quick_ms) / measured_s),
        "median_ms": round(percentile(slow_ms, 0.5)),
        "median_with_quick_disks_ms": round(percentile(quick_ms, 0.5)),
        "fastest_ms": min(slow_ms),
        "fastest_with_quick_disks_ms": min(quick_ms),
    }
    outcome.notes.append(f"acts a second by round, with slow disks: {rates}")
    outcome.twin_lost = _twin(ground)
    lost = outcome.lost or outcome.invented
    if min(slow_ms) < FSYNC_MS:
        outcome.notes.append("the disks were not slow")
    soon = (outcome.first_sale_p95_s or 0.0) <= LEASE_S + AIM_S
    slow_enough = min(slow_ms) >= FSYNC_MS
    good = soon and slow_enough and not (lost or refused)
    outcome.passed = good and bool(outcome.twin_lost)
    return outcome


def _twin(ground: Ground) -> int:
    """Return how many answered acts are lost with a primary that answers before it has written.

    Its disk is slow, and its machine is killed.
    """
    cluster = ground.cluster
    leader = cluster.wait_primary()
    chosen = next(name for name in DATABASES if name != leader)
    usual = _commands(ground, chosen)
    try:
        _switch_on(ground, chosen, _slow(usual))
        switch_over(ground, leader, chosen)
        ground.commits("off")
        ground.begin_anew()
        with ground.selling() as crowd:
            crowd.wait_sales()
            cluster.machines[chosen].kill()
            killed = time.monotonic()
            crowd.first_sale_after(killed, _WITHIN_S)
            crowd.wait_sales()
    finally:
        _switch_on(ground, chosen, usual)
    lost, _ = ground.counted()
    ground.commits("on")
    ground.begin_anew()
    return lost


def _times_ms(crowd: Crowd) -> list[float]:
    """Wait for some seconds; return how long each act took that was answered meanwhile."""
    since = time.monotonic()
    time.sleep(_MEASURED_S)
    return [ms for at, ms in crowd.answers.took_ms if at >= since]


def _commands(ground: Ground, name: str) -> Commands:
    return {kind: child.command for kind, child in ground.cluster.machines[name].children.items()}


def _slow(commands: Commands) -> Commands:
    return {kind: slow_disk.command(FSYNC_MS, words) for kind, words in commands.items()}


def _switch_on(ground: Ground, name: str, commands: Commands) -> None:
    """Kill a database's machine if it runs, and start it with these commands."""
    machine = ground.cluster.machines[name]
    machine.kill()
    for kind, words in commands.items():
        machine.children[kind].command = list(words)
    machine.start()
    ground.cluster.wait_standbys()

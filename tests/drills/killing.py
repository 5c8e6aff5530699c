"""Drills of all but the databases: hosts, their processes, broker, proxy, receiver; migrations."""

import time
from concurrent.futures import ThreadPoolExecutor

from core.tools.cluster.cluster import BROKER, DATABASES, HOSTS, PROXY, RECEIVER
from core.tools.embedded.processes import EmbeddedError
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome

_BACK_WITHIN_S = 30.0
_DEAD_S = 4.0
_MIGRATIONS_AT_ONCE = 2
_P99_MS = 250.0
AWAY_S = 30.0


def process(ground: Ground, rounds: int, *, kind: str) -> Outcome:
    """Kill a process of a host, with its descendants; it is started again after two seconds."""
    outcome = Outcome()
    for number in range(rounds):
        host = ground.cluster.machines[HOSTS[number % len(HOSTS)]]
        with ground.selling() as crowd:
            killed = time.monotonic()
            host.kill_one(kind)
            outcome.first_sales_s.append(crowd.first_sale_after(killed, _BACK_WITHIN_S))
            time.sleep(_DEAD_S)
            gap = crowd.told.longest_gap_s(killed, time.monotonic())
            crowd.wait_sales()
        outcome.figures["longest_gap_s"] = max(gap, outcome.figures.get("longest_gap_s", 0.0))
        ground.audit(outcome, commands=False)
        outcome.rounds += 1
    outcome.passed = not (outcome.lost or outcome.invented) and _soon(outcome)
    return outcome


def one_machine(ground: Ground, rounds: int, *, name: str) -> Outcome:
    """Kill a machine whole, and switch it on again after some seconds."""
    outcome = Outcome()
    dead = ground.cluster.machines[name]
    for _ in range(rounds):
        with ground.selling() as crowd:
            killed = time.monotonic()
            dead.kill()
            if name != PROXY:
                time.sleep(_DEAD_S)
                outcome.first_sales_s.append(crowd.first_sale_after(killed, _BACK_WITHIN_S))
            dead.start()
            back = time.monotonic()
            if name == PROXY:
                outcome.first_sales_s.append(crowd.first_sale_after(back, _BACK_WITHIN_S))
            crowd.wait_sales()
        dead.wait_ready(120)
        ground.audit(outcome, commands=False)
        outcome.rounds += 1
    outcome.passed = not (outcome.lost or outcome.invented) and _soon(outcome)
    return outcome


def web(ground: Ground, rounds: int) -> Outcome:
    """Kill the machine of a host with all its processes: the other host takes over."""
    return one_machine(ground, rounds, name=HOSTS[0])


def broker(ground: Ground, rounds: int) -> Outcome:
    """Kill the machine of the broker: sales need none."""
    return one_machine(ground, rounds, name=BROKER)


def receiver(ground: Ground, rounds: int) -> Outcome:
    """Kill the machine that keeps the public log: no sale waits for it."""
    return one_machine(ground, rounds, name=RECEIVER)


def proxy(ground: Ground, rounds: int) -> Outcome:
    """Kill the proxy and start it again: terminals repeat what was not answered."""
    return one_machine(ground, rounds, name=PROXY)


def migrate(ground: Ground, rounds: int) -> Outcome:
    """Run the migrations while terminals sell, two at once."""
    outcome = Outcome()
    with ground.selling() as crowd, ThreadPoolExecutor(_MIGRATIONS_AT_ONCE) as pool:
        before = time.monotonic()
        faults = crowd.told.faults.copy()
        words = ("migrate", "--database", "owner", "--no-input")
        for done in [pool.submit(ground.cluster.command, *words) for _ in range(rounds)]:
            try:
                done.result()
            except EmbeddedError as fault:
                outcome.lost += 1
                outcome.notes.append(str(fault)[-200:])
            outcome.rounds += 1
        crowd.wait_sales()
        refused = crowd.told.faults - faults
        outcome.figures["p99_ms"] = round(crowd.told.p99_ms(before), 1)
    if refused:
        outcome.notes.append(f"tries that were not answered well: {dict(refused)}")
    ground.audit(outcome)
    outcome.figures["refused"] = float(sum(refused.values()))
    slow = outcome.figures["p99_ms"] > _P99_MS
    outcome.passed = not (outcome.lost or outcome.invented or refused or slow)
    return outcome


def storm(ground: Ground, rounds: int) -> Outcome:
    """Stop all databases for half a minute; the crowd is back at once when they go on."""
    outcome = Outcome()
    machines = [ground.cluster.machines[name] for name in DATABASES]
    for _ in range(rounds):
        with ground.selling() as crowd:
            began = time.monotonic()
            time.sleep(10)
            before = crowd.told.sales_between(began, began + 10)
            for each in machines:
                each.freeze()
            time.sleep(AWAY_S)
            for each in machines:
                each.thaw()
            back = time.monotonic()
            outcome.first_sales_s.append(crowd.first_sale_after(back, 90))
            first = back + outcome.first_sales_s[-1]
            time.sleep(max(0.0, first + 20 - time.monotonic()))
            after = crowd.told.sales_between(first + 10, first + 20)
        ground.cluster.wait_standbys()
        ground.audit(outcome)
        share = after / before if before else 0.0
        outcome.figures["rate_share"] = round(share, 2)
        outcome.rounds += 1
    outcome.passed = not (outcome.lost or outcome.invented) and share >= 0.95 and _soon(outcome)
    return outcome


def _soon(outcome: Outcome) -> bool:
    return (outcome.first_sale_p95_s or 0.0) <= _BACK_WITHIN_S

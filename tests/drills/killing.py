"""Drills of whole machines that are not databases: host, broker, proxy."""

import time
from collections.abc import Callable

from core.tools.cluster.cluster import BROKER, HOSTS, PROXY
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome

_BACK_WITHIN_S = 30.0
_DEAD_S = 4.0


Twin = Callable[[Ground], int]


def one_machine(ground: Ground, rounds: int, *, name: str, twin: Twin | None = None) -> Outcome:
    """Kill a machine whole, and switch it on again after some seconds; then do the twin."""
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
    if twin is not None:
        outcome.twin_lost = twin(ground)
    good = not (outcome.lost or outcome.invented) and outcome.twin_lost != 0
    outcome.passed = good and _soon(outcome)
    return outcome


def web(ground: Ground, rounds: int) -> Outcome:
    """Kill the machine of a host with all its processes: the other host takes over.

    Twin: both are killed, and nothing is sold.
    """
    return one_machine(ground, rounds, name=HOSTS[0], twin=_both_hosts)


def _both_hosts(ground: Ground) -> int:
    """Return 1 if no sale was answered while both hosts were dead, else 0."""
    hosts = [ground.cluster.machines[name] for name in HOSTS]
    with ground.selling() as crowd:
        for host in hosts:
            host.kill()
        since = time.monotonic()
        time.sleep(_DEAD_S)
        sold = crowd.answers.sales_between(since, time.monotonic())
        for host in hosts:
            host.start()
        crowd.wait_sales()
    for host in hosts:
        host.wait_ready(120)
    return int(not sold)


def broker(ground: Ground, rounds: int) -> Outcome:
    """Kill the machine of the broker: sales need none."""
    return one_machine(ground, rounds, name=BROKER)


def proxy(ground: Ground, rounds: int) -> Outcome:
    """Kill the proxy and start it again: terminals repeat what was not answered.

    Twin: they repeat it under a new UUID, and sell twice what was sold and not answered.
    """
    return one_machine(ground, rounds, name=PROXY, twin=_renewed)


def _renewed(ground: Ground) -> int:
    """Return how many tickets are sold twice by terminals that repeat under a new UUID."""
    dead = ground.cluster.machines[PROXY]
    with ground.renewing() as crowd:
        dead.kill()
        dead.start()
        crowd.wait_sales()
    twice = ground.sold_twice()
    ground.begin_anew()
    return twice


def _soon(outcome: Outcome) -> bool:
    return (outcome.first_sale_p95_s or 0.0) <= _BACK_WITHIN_S

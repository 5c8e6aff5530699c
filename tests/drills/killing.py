"""Drills of whole machines that are not databases: host, broker, proxy."""

import time

from core.tools.cluster.cluster import BROKER, HOSTS, PROXY
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome

_BACK_WITHIN_S = 30.0
_DEAD_S = 4.0


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


def proxy(ground: Ground, rounds: int) -> Outcome:
    """Kill the proxy and start it again: terminals repeat what was not answered."""
    return one_machine(ground, rounds, name=PROXY)


def _soon(outcome: Outcome) -> bool:
    return (outcome.first_sale_p95_s or 0.0) <= _BACK_WITHIN_S

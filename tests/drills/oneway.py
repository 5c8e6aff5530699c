"""The drill of links cut in one direction: a machine is heard and does not hear, or the reverse."""

import time
from collections.abc import Callable

from core.tools.cluster.cluster import DATABASES, HOSTS
from tests.drills.ground import Ground
from tests.drills.losing import AIM_S, LEASE_S, need_namespaces, patient_twin, writes
from tests.drills.outcomes import Outcome

_WITHIN_S = 120.0
_HOST_AWAY_S = 20.0


def oneway(ground: Ground, rounds: int) -> Outcome:
    """Cut the primary's link and a host's in one direction, then in the other.

    Twin: what the primary sends is lost, and the program has no timeouts of TCP.
    """
    need_namespaces(ground)
    outcome, network = Outcome(), ground.cluster.network
    for _ in range(rounds):
        for lose in (network.mute, network.deafen):
            _primary(ground, outcome, lose)
            _host(ground, outcome, lose)
        ground.audit(outcome)
        outcome.rounds += 1
    refused = ground.note_refusals(outcome)
    outcome.twin_lost = patient_twin(ground, outcome, network.mute)
    p95 = outcome.first_sale_p95_s or float("inf")
    faulty = outcome.lost or outcome.invented or refused
    outcome.passed = bool(outcome.twin_lost) and not faulty and p95 <= LEASE_S + AIM_S
    return outcome


def _primary(ground: Ground, outcome: Outcome, lose: Callable[[str], None]) -> None:
    """Cut the primary's link; another one must lead, and it must take no write."""
    cluster = ground.cluster
    with ground.selling() as crowd:
        leader = cluster.wait_primary()
        lose(leader)
        cut = time.monotonic()
        try:
            outcome.first_sales_s.append(crowd.first_sale_after(cut, _WITHIN_S))
            crowd.wait_sales()
            ground.note_alarm(outcome)
            if writes(ground, leader):
                outcome.lost += 1
                outcome.notes.append(f"{leader} took a write while another led")
        finally:
            cluster.network.mend(leader)
        crowd.wait_sales()
    cluster.wait_standbys(len(DATABASES) - 1)
    ground.audit(outcome, commands=False)


def _host(ground: Ground, outcome: Outcome, lose: Callable[[str], None]) -> None:
    """Cut a host's link for a while: the other host answers."""
    with ground.selling() as crowd:
        lose(HOSTS[0])
        cut = time.monotonic()
        try:
            time.sleep(_HOST_AWAY_S)
        finally:
            ground.cluster.network.mend(HOSTS[0])
        outcome.first_sales_s.append(crowd.first_sale_after(cut, _WITHIN_S))
        gap_s = crowd.answers.longest_gap_s(cut, time.monotonic())
        crowd.wait_sales()
    longest_s = max(gap_s, outcome.figures.get("longest_gap_without_host_s", 0.0))
    outcome.figures["longest_gap_without_host_s"] = round(longest_s, 1)
    ground.audit(outcome, commands=False)

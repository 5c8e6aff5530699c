"""Drills of the databases: the primary killed, cut off, and back; the standbys lost."""

import json
import time
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

from core.tools.cluster.cluster import DATABASES, Cluster
from core.tools.deploying.patroni import ETCD_PORT
from core.tools.embedded.processes import EmbeddedError
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome

AIM_S = 15.0
_STALL_S = 0.5
"""The primary sends nothing to its standbys for so long before it dies, in the twin as well."""
_WITHIN_S = 120.0
LEASE_S = 20.0
_TWIN_LOOKED_AT_S = 90.0
_ALONE_S = 3.0
_WITH_ONE_S = 15.0
"""Longer than a primary waits for etcd, and an election of etcd's leader takes."""


def primary(ground: Ground, rounds: int) -> Outcome:
    """Kill the primary's server and delete its data, under load; Patroni on its machine lives.

    Twin: the same with standbys that are not waited for.
    """
    outcome = Outcome()
    for _ in range(rounds):
        lost = _disk_lost(ground, outcome)
        ground.cluster.new_disk(lost)
        ground.audit(outcome)
        ground.cluster.wait_standbys()
        outcome.rounds += 1
    outcome.twin_lost = _asynchronous_twin(ground, _disk_lost)
    p95 = outcome.first_sale_p95_s or float("inf")
    outcome.figures["first_sale_max_s"] = max(outcome.first_sales_s, default=0.0)
    good = not (outcome.lost or outcome.invented) and bool(outcome.twin_lost)
    outcome.passed = good and p95 <= AIM_S
    return outcome


def short(ground: Ground, rounds: int) -> Outcome:
    """Do the drill of the primary once, judged by what is lost alone: a busy machine passes."""
    outcome = Outcome()
    for _ in range(rounds):
        _disk_lost(ground, outcome)
        ground.audit(outcome)
        outcome.rounds += 1
    sold_again = max(outcome.first_sales_s) <= _WITHIN_S
    outcome.passed = sold_again and not (outcome.lost or outcome.invented)
    return outcome


def _disk_lost(ground: Ground, outcome: Outcome) -> str:
    """Destroy the primary under load; return the name of its machine."""
    cluster = ground.cluster
    with ground.selling() as crowd:
        pause_s = ground.random.random()  # of the drill's seed
        time.sleep(pause_s)
        leader = cluster.wait_primary()
        cluster.machines[leader].signal_programs("walsender", "STOP")
        time.sleep(_STALL_S)
        cluster.machines[leader].signal_programs("postgres", "KILL")
        killed = time.monotonic()
        cluster.delete_data(leader)
        outcome.first_sales_s.append(crowd.first_sale_after(killed, _WITHIN_S))
        crowd.wait_sales()
    return leader


def _asynchronous_twin(ground: Ground, lose: Callable[[Ground, Outcome], str]) -> int:
    """Return how many answered acts are lost by one round without synchronous standbys.

    `lose` destroys a primary under load, and returns the name of its machine.
    """
    ground.cluster.wait_standbys()
    ground.synchronous("off")
    ground.begin_anew()
    destroyed = lose(ground, Outcome())
    lost, _ = ground.counted()
    ground.cluster.new_disk(destroyed)
    ground.cluster.wait_standbys()
    ground.synchronous("quorum")
    ground.begin_anew()
    return lost


def machine(ground: Ground, rounds: int) -> Outcome:
    """Kill the whole machine of the primary, also Patroni and etcd, and delete its data.

    Nobody gives the lease back: a new primary comes when it has ended. Twin: the same with standbys
    that are not waited for.
    """
    outcome = Outcome()
    for _ in range(rounds):
        leader = _machine_lost(ground, outcome)
        ground.audit(outcome, commands=False)
        ground.cluster.machines[leader].start()
        ground.cluster.wait_standbys()
        outcome.rounds += 1
    outcome.twin_lost = _asynchronous_twin(ground, _machine_lost)
    p95 = outcome.first_sale_p95_s or float("inf")
    outcome.notes.append(f"the lease of a dead machine lasts {LEASE_S:.0f} s, Patroni's shortest")
    good = not (outcome.lost or outcome.invented) and bool(outcome.twin_lost)
    outcome.passed = good and p95 <= LEASE_S + AIM_S
    return outcome


def _machine_lost(ground: Ground, outcome: Outcome) -> str:
    """Kill the primary's machine under load and delete its data; return its name."""
    cluster = ground.cluster
    with ground.selling() as crowd:
        leader = cluster.wait_primary()
        cluster.machines[leader].signal_programs("walsender", "STOP")
        time.sleep(_STALL_S)
        cluster.machines[leader].kill()
        killed = time.monotonic()
        cluster.delete_data(leader)
        outcome.first_sales_s.append(crowd.first_sale_after(killed, _WITHIN_S))
        crowd.wait_sales()
    return leader


def silent(ground: Ground, rounds: int) -> Outcome:
    """Pull the cable of the primary's machine: no reset, no word. Then plug it in again.

    It must take no write meanwhile, and follow the new primary afterwards. Twin: the program has no
    timeouts of TCP, and waits for it.
    """
    outcome = Outcome()
    cluster = ground.cluster
    for _ in range(rounds):
        with ground.selling() as crowd:
            leader = cluster.wait_primary()
            cluster.network.cut(leader)
            cut = time.monotonic()
            outcome.first_sales_s.append(crowd.first_sale_after(cut, _WITHIN_S))
            crowd.wait_sales()
            wrote = writes(ground, leader)
            cluster.network.mend(leader)
            crowd.wait_sales()
        cluster.wait_standbys()
        ground.audit(outcome, commands=False)
        log = cluster.machines[leader].children["patroni"].log.read_text(errors="replace")
        outcome.figures["rejoined_by_pg_rewind"] = float("pg_rewind" in log)
        if wrote:
            outcome.lost += 1
            outcome.notes.append(f"{leader} took a write while another led")
        outcome.rounds += 1
    outcome.twin_lost = patient_twin(ground, outcome, cluster.network.cut)
    p95 = outcome.first_sale_p95_s or float("inf")
    good = not (outcome.lost or outcome.invented) and bool(outcome.twin_lost)
    outcome.passed = good and p95 <= LEASE_S + AIM_S
    return outcome


def patient_twin(ground: Ground, outcome: Outcome, lose: Callable[[str], None]) -> int:
    """Cut the primary's link by `lose` where the program has no timeouts of TCP.

    Return 1 if no sale was answered for longer than a drill may take, else 0.
    """
    cluster = ground.cluster
    with ground.patient():
        with ground.selling() as crowd:
            leader = cluster.wait_primary()
            lose(leader)
            cut = time.monotonic()
            try:
                time.sleep(_TWIN_LOOKED_AT_S)
            finally:
                cluster.network.mend(leader)
            first = crowd.answers.first_sale_after(cut)
            sold = crowd.answers.sales_between(cut, cut + _TWIN_LOOKED_AT_S)
        cluster.wait_standbys()
    ground.begin_anew()
    without_s = float("inf") if first is None else first - cut
    when = "no sale" if first is None else f"{sold} sales, the first after {without_s:.0f} s"
    outcome.notes.append(f"without timeouts of TCP {when}, in {_TWIN_LOOKED_AT_S:.0f} s")
    return int(without_s > LEASE_S + AIM_S)


def writes(ground: Ground, leader: str) -> bool:
    """Return whether the server that was cut off takes a write, asked on its own machine."""
    done = ground.cluster.machines[leader].run(
        "psql",
        *("--no-psqlrc", "--command", "SET statement_timeout = 2000"),
        *("--command", "CREATE TABLE public.drill (a int)"),
        ground.cluster.superuser_url(leader),
    )
    return done.returncode == 0


def standby(ground: Ground, rounds: int) -> Outcome:
    """Kill one standby: sales go on. Kill the other too: nothing is answered, rather than lost.

    The first one's etcd leads, so that the primary's lease waits for an election besides. Twin: the
    primary answers without any standby, and is lost as well.
    """
    outcome = Outcome()
    cluster = ground.cluster
    for _ in range(rounds):
        leader = cluster.wait_primary()
        standbys = [name for name in DATABASES if name != leader]
        etcd_lead(cluster, standbys[0])
        with ground.selling() as crowd:
            cluster.machines[standbys[0]].kill()
            killed = time.monotonic()
            outcome.first_sales_s.append(crowd.first_sale_after(killed, _WITHIN_S))
            time.sleep(_WITH_ONE_S)
            crowd.wait_sales()
            gap_s = crowd.answers.longest_gap_s(killed, time.monotonic())
            cluster.machines[standbys[1]].kill()
            time.sleep(2)
            since = time.monotonic()
            time.sleep(6)
            alone = crowd.answers.sales_between(since, time.monotonic())
            for name in standbys:
                cluster.machines[name].start()
            crowd.wait_sales()
        cluster.wait_standbys()
        ground.audit(outcome, commands=False)
        before_s = outcome.figures.get("longest_gap_with_one_s", 0.0)
        outcome.figures["longest_gap_with_one_s"] = round(max(gap_s, before_s), 1)
        if alone:
            outcome.notes.append(f"{alone} sales were answered without any standby")
            outcome.lost += alone
        outcome.rounds += 1
    slow = max(outcome.figures["longest_gap_with_one_s"], outcome.first_sale_p95_s or 0.0) > AIM_S
    outcome.twin_lost = _alone_twin(ground)
    outcome.passed = bool(outcome.twin_lost) and not (outcome.lost or outcome.invented or slow)
    return outcome


def _alone_twin(ground: Ground) -> int:
    """Return how many answered acts are lost with a primary that answered without any standby."""
    cluster = ground.cluster
    ground.synchronous("off")
    ground.begin_anew()
    with ground.selling() as crowd:
        leader = cluster.wait_primary()
        standbys = [name for name in DATABASES if name != leader]
        for name in standbys:
            cluster.machines[name].kill()
        time.sleep(_ALONE_S)
        cluster.machines[leader].kill()
        cluster.delete_data(leader)
        for name in standbys:
            cluster.machines[name].start()
        crowd.wait_sales()
    lost, _ = ground.counted()
    cluster.machines[leader].start()
    cluster.wait_standbys()
    ground.synchronous("quorum")
    ground.begin_anew()
    return lost


def etcd_lead(cluster: Cluster, name: str) -> None:
    """Make the etcd of a machine lead the others, if it does not yet."""
    status = _etcd(cluster, name, "status", {})
    wanted, leads = status["header"]["member_id"], status["leader"]
    for other in DATABASES:
        if wanted != leads and _etcd(cluster, other, "status", {})["header"]["member_id"] == leads:
            _etcd(cluster, other, "transfer-leadership", {"targetID": wanted})


def _etcd(cluster: Cluster, name: str, act: str, words: dict[str, str]) -> dict[str, Any]:
    connection = HTTPConnection(cluster.machines[name].address, ETCD_PORT, timeout=10)
    path = f"/v3/maintenance/{act}"
    connection.request("POST", path, json.dumps(words), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status != 200:
        raise EmbeddedError(f"etcd of {name} refused {act}: {text!r}")
    reply: dict[str, Any] = json.loads(text)
    return reply


def need_namespaces(ground: Ground) -> None:
    """Raise EmbeddedError where neither a cable can be pulled nor a disk be mounted."""
    if ground.cluster.network.words != "network namespaces":
        raise EmbeddedError("network namespaces are not allowed here")

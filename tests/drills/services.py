"""Drills of the processes beside the sale: worker, beat, boards' publisher, and the log's receiver.

Each has work that can be seen to go on. While one of two is dead the other does it; the twin kills
both, and must see the work end.
"""

import json
import ssl
import time
from collections.abc import Callable
from http.client import HTTPException, HTTPSConnection

import psycopg

from core.tools.cluster.cluster import HOSTS, RECEIVER
from core.tools.embedded.processes import EmbeddedError
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome

_BACK_WITHIN_S = 30.0
_WORK_WITHIN_S = 30.0
"""A sweep is sent every 5 s by each beat; this machine is busy with sales."""
_LAST_OF_THE_DEAD_S = 3.0
_RECEIVER_DEAD_S = 4.0
_DELIVERED_WITHIN_S = 120.0
Sign = Callable[[Ground], str]


def swept(ground: Ground) -> str:
    """Return when a worker last looked for due work: broker, a beat and a worker are there."""
    return _asked(ground, "SELECT coalesce(swept_at::text, '') FROM database_clockwatch")


def published(ground: Ground) -> str:
    """Return the time of the pulse that boards read through the proxy; empty without an answer."""
    context = ssl.create_default_context(cafile=ground.cluster.environment["SSL_CERT_FILE"])
    host = ground.cluster.base_url.removeprefix("https://")
    connection = HTTPSConnection(host, timeout=5, context=context)
    try:
        connection.request("GET", "/live/pulse.json")
        return str(json.loads(connection.getresponse().read())["at"])
    except (OSError, HTTPException, ValueError, KeyError):
        return ""
    finally:
        connection.close()


SIGNS: dict[str, Sign] = {"worker": swept, "beat": swept, "live": published}
"""Signs that the work of a kind of process goes on: they change."""


def process(ground: Ground, rounds: int, *, kind: str) -> Outcome:
    """Kill a process on one host, and keep it dead until its work is seen to go on.

    Twin: it is killed on both hosts, and the work is seen to stand still.
    """
    outcome = Outcome()
    for number in range(rounds):
        host = ground.cluster.machines[HOSTS[number % len(HOSTS)]]
        with ground.selling() as crowd:
            killed = time.monotonic()
            host.children[kind].kill()
            outcome.first_sales_s.append(crowd.first_sale_after(killed, _BACK_WITHIN_S))
            goes_on_s = _changes_within(ground, kind, _WORK_WITHIN_S)
            gap_s = crowd.answers.longest_gap_s(killed, time.monotonic())
            host.children[kind].start()
            crowd.wait_sales()
        if goes_on_s is None:
            outcome.lost += 1
            outcome.notes.append(f"no work of a {kind} was seen while {host.name} had none")
        for name, seconds in (("longest_gap_s", gap_s), ("work_seen_within_s", goes_on_s or 0.0)):
            outcome.figures[name] = round(max(seconds, outcome.figures.get(name, 0.0)), 1)
        ground.audit(outcome, commands=False)
        outcome.rounds += 1
    outcome.twin_lost = _twin(ground, kind)
    good = not (outcome.lost or outcome.invented) and bool(outcome.twin_lost)
    outcome.passed = good and (outcome.first_sale_p95_s or 0.0) <= _BACK_WITHIN_S
    return outcome


def _twin(ground: Ground, kind: str) -> int:
    """Return how many of this kind were missed when all of them were dead: 1, or 0 if none was."""
    children = [ground.cluster.machines[host].children[kind] for host in HOSTS]
    for child in children:
        child.kill()
    stands_still = _changes_within(ground, kind, _WORK_WITHIN_S) is None
    for child in children:
        child.start()
    if _changes_within(ground, kind, 4 * _WORK_WITHIN_S) is None:
        raise EmbeddedError(f"no {kind} came back")
    return int(stands_still)


def _changes_within(ground: Ground, kind: str, within_s: float) -> float | None:
    """Return after how many seconds the sign of a kind's work changed, None if it did not.

    What the dead had begun may still show for a moment: that does not count.
    """
    time.sleep(_LAST_OF_THE_DEAD_S)
    before, began = SIGNS[kind](ground), time.monotonic()
    while time.monotonic() < began + within_s:
        if (now := SIGNS[kind](ground)) and now != before:
            return time.monotonic() - began
        time.sleep(0.2)
    return None


def receiver(ground: Ground, rounds: int) -> Outcome:
    """Kill the machine that keeps the public log: no sale waits, and later it gets every entry.

    An entry is made while it is dead. Twin: its disk is lost too, and what it had is missing.
    """
    outcome = Outcome()
    machine = ground.cluster.machines[RECEIVER]
    for _ in range(rounds):
        with ground.selling() as crowd:
            killed = time.monotonic()
            machine.kill()
            ground.publish_something()
            time.sleep(_RECEIVER_DEAD_S)
            outcome.first_sales_s.append(crowd.first_sale_after(killed, _BACK_WITHIN_S))
            machine.start()
            machine.wait_ready(_BACK_WITHIN_S)
            crowd.wait_sales()
        outcome.lost += _undelivered(ground, _DELIVERED_WITHIN_S)
        ground.audit(outcome, commands=False)
        outcome.rounds += 1
    machine.kill()
    for entry in (ground.cluster.folder / "received").glob("*.json"):
        entry.unlink()
    machine.start()
    ground.publish_something()
    outcome.twin_lost = _undelivered(ground, 2 * _RECEIVER_DEAD_S)
    outcome.figures["entries"] = float(_asked(ground, "SELECT count(*)::text FROM proofs_logentry"))
    good = not (outcome.lost or outcome.invented) and bool(outcome.twin_lost)
    outcome.passed = good and (outcome.first_sale_p95_s or 0.0) <= _BACK_WITHIN_S
    return outcome


def _undelivered(ground: Ground, within_s: float) -> int:
    """Wait until the receiver has every entry of the public log; return how many it lacks."""
    deadline = time.monotonic() + within_s
    while True:
        entries = int(_asked(ground, "SELECT count(*)::text FROM proofs_logentry"))
        lacking = entries - ground.cluster.received()
        if lacking <= 0 or time.monotonic() > deadline:
            return max(0, lacking)
        time.sleep(0.5)


def _asked(ground: Ground, question: str) -> str:
    with psycopg.connect(ground.cluster.environment["DATABASE_OWNER_URL"]) as session:
        row = session.execute(question.encode()).fetchone()
    return str(row[0]) if row else ""

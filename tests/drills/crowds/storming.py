"""The drill of the crowd that comes back: no database for half a minute, just before a closing."""

import os
import time

import psycopg

from core.tools.cluster.cluster import DATABASES
from tests.drills.crowd import TIMEOUT_S
from tests.drills.crowds.thousands import CUSTOMERS_EVERY_S, Thousands
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome

TERMINALS = int(os.environ.get("TERMINALS") or 3200)
AWAY_S = 30.0
_MEASURED_S = 20.0
_ACKNOWLEDGED_PER_S = 50.0
_BEFORE_CLOSING_S = 120.0
_BACK_AFTER_S = 10.0
_SHARE = 0.95
_CLOSED = frozenset({"contest_closed"})
_LATE = """
SELECT count(*) FROM lototrot_ticket t JOIN lototrot_contest c ON c.id = t.contest_id
 WHERE t.sold_at >= c.scheduled_close_at
"""


def storm(ground: Ground, rounds: int) -> Outcome:
    """Stop all databases two minutes before a contest closes; the crowd is back when they go on.

    Customers come to each terminal every 20 to 60 s, also meanwhile, and wait. TERMINALS=n says how
    many terminals there are. Twin: terminals repeat under a new UUID what was not answered.
    """
    outcome, share = Outcome(), float("inf")
    for _ in range(rounds):
        # All have had a player, and the rate was measured, when the databases stop.
        begins_s = max(CUSTOMERS_EVERY_S) + _MEASURED_S + TERMINALS / _ACKNOWLEDGED_PER_S
        crowd = ground.crowd_of(TERMINALS, kind=Thousands, closes_in_s=begins_s + _BEFORE_CLOSING_S)
        with ground.instead(crowd):
            share = min(share, _round(ground, outcome, crowd))
            ground.audit(outcome)
            ground.note_refusals(outcome)
        others = {code: n for code, n in crowd.answers.refused.items() if code not in _CLOSED}
        if others:
            outcome.lost += sum(others.values())
            outcome.notes.append(f"terminals were refused for good: {others}")
        outcome.rounds += 1
    late = _late(ground)
    if late:
        outcome.invented += late
        outcome.notes.append(f"{late} tickets were sold after the closing")
    outcome.twin_lost = _renewed(ground)
    outcome.figures |= {"terminals": float(TERMINALS), "rate_share": round(share, 2)}
    good = not (outcome.lost or outcome.invented) and bool(outcome.twin_lost)
    outcome.passed = good and share >= _SHARE
    return outcome


def _round(ground: Ground, outcome: Outcome, crowd: Thousands) -> float:
    """Do the storm once; return the rate afterwards as a share of the former one."""
    machines = [ground.cluster.machines[name] for name in DATABASES]
    with ground.selling():
        time.sleep(max(0.0, crowd.closes_s - _BEFORE_CLOSING_S - time.monotonic()))
        now = time.monotonic()
        before = crowd.answers.sales_between(now - _MEASURED_S, now)
        signed_on = len(crowd.heard_s)
        for each in machines:
            each.freeze()
        time.sleep(AWAY_S)
        for each in machines:
            each.thaw()
        thawed = time.monotonic()
        ground.cluster.wait_primary()
        returned = time.monotonic()
        outcome.first_sales_s.append(crowd.first_sale_after(returned, 90))
        since = returned + _BACK_AFTER_S
        time.sleep(max(0.0, since + _MEASURED_S - time.monotonic()))
        after = crowd.answers.sales_between(since, since + _MEASURED_S)
        time.sleep(max(0.0, crowd.closes_s + 2 - time.monotonic()))  # some try after the closing
        unheard = crowd.not_heard_since(returned)
    ground.cluster.wait_standbys()
    if unheard:
        outcome.lost += unheard
        outcome.notes.append(f"{unheard} terminals got no answer after the return")
    outcome.notes.append(
        f"{signed_on} of {TERMINALS} terminals had been answered before; {before / _MEASURED_S:.0f}"
        f" sales a second before, {after / _MEASURED_S:.0f} from {_BACK_AFTER_S:.0f} s after a"
        f" primary was back, which was {returned - thawed:.1f} s after the machines went on"
    )
    return after / before if before else 0.0


def _renewed(ground: Ground) -> int:
    """Return how many tickets are sold twice by terminals that repeat under a new UUID.

    The databases are away for longer than such a terminal waits for an answer.
    """
    machines = [ground.cluster.machines[name] for name in DATABASES]
    with ground.renewing() as crowd:
        for each in machines:
            each.freeze()
        time.sleep(TIMEOUT_S + 2)
        for each in machines:
            each.thaw()
        ground.cluster.wait_primary()
        crowd.wait_sales()
    ground.cluster.wait_standbys()
    twice = ground.sold_twice()
    ground.begin_anew()
    return twice


def _late(ground: Ground) -> int:
    with psycopg.connect(ground.cluster.environment["DATABASE_OWNER_URL"]) as session:
        row = session.execute(_LATE).fetchone()
    return int(row[0]) if row else 0

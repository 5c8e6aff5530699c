"""The drill of the crowd that comes back: no database for half a minute, just before a closing."""

import os
import time

import psycopg

from core.tools.cluster.cluster import DATABASES
from tests.drills.crowd import Crowd
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome

TERMINALS = int(os.environ.get("TERMINALS") or 800)
AWAY_S = 30.0
_ACTS_PER_S = 80.0
_MEASURED_S = 10.0
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

    Together the terminals ask for what a machine of two processors answers without a queue, so that
    a lower rate afterwards is the storm's. TERMINALS=n says how many they are.
    """
    outcome, share = Outcome(), 1.0
    rest_s = TERMINALS / _ACTS_PER_S
    for _ in range(rounds):
        preparing_s = 30 + TERMINALS / 10
        closes = time.monotonic() + preparing_s + _BEFORE_CLOSING_S
        crowd = ground.crowd_of(
            TERMINALS, rest_s=rest_s, closes_in_s=preparing_s + _BEFORE_CLOSING_S
        )
        with ground.instead(crowd):
            share = min(share, _round(ground, outcome, crowd, closes))
            ground.audit(outcome)
        others = {code: n for code, n in crowd.told.refused.items() if code not in _CLOSED}
        if others:
            outcome.lost += sum(others.values())
            outcome.notes.append(f"terminals were refused for good: {others}")
        outcome.rounds += 1
    late = _late(ground)
    if late:
        outcome.invented += late
        outcome.notes.append(f"{late} tickets were sold after the closing")
    outcome.figures |= {"terminals": float(TERMINALS), "rate_share": round(share, 2)}
    outcome.passed = not (outcome.lost or outcome.invented) and share >= _SHARE
    return outcome


def _round(ground: Ground, outcome: Outcome, crowd: Crowd, closes: float) -> float:
    """Do the storm once; return the rate afterwards as a share of the former one."""
    machines = [ground.cluster.machines[name] for name in DATABASES]
    with ground.selling():
        freeze_at = max(closes - _BEFORE_CLOSING_S, time.monotonic() + 2 * _MEASURED_S)
        time.sleep(freeze_at - time.monotonic())
        now = time.monotonic()
        before = crowd.told.sales_between(now - _MEASURED_S, now)
        for each in machines:
            each.freeze()
        time.sleep(AWAY_S)
        for each in machines:
            each.thaw()
        thawed = time.monotonic()
        ground.cluster.wait_primary()
        returned = time.monotonic()
        outcome.first_sales_s.append(crowd.first_sale_after(returned, 90))
        time.sleep(max(0.0, returned + _BACK_AFTER_S + _MEASURED_S - time.monotonic()))
        since = returned + _BACK_AFTER_S
        after = crowd.told.sales_between(since, since + _MEASURED_S)
        time.sleep(max(0.0, closes + 2 - time.monotonic()))  # some still try after the closing
    ground.cluster.wait_standbys()
    outcome.notes.append(
        f"{TERMINALS} terminals: {before / _MEASURED_S:.0f} sales a second before,"
        f" {after / _MEASURED_S:.0f} from {_BACK_AFTER_S:.0f} s after a primary was back,"
        f" which was {returned - thawed:.1f} s after the machines went on"
    )
    return after / before if before else 0.0


def _late(ground: Ground) -> int:
    with psycopg.connect(ground.cluster.environment["DATABASE_OWNER_URL"]) as session:
        row = session.execute(_LATE).fetchone()
    return int(row[0]) if row else 0

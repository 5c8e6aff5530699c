"""A drill of PgBouncer in transaction mode before the primary, with many clients and few sessions.

Nothing of the program may work behind it, as the database would name the wrong person
(docs/adr/0039). Without it each act bears the name of who did it, beside the sales of terminals.
"""

import subprocess
import sys
from collections.abc import Mapping

from django.db import connection
from psycopg.conninfo import make_conninfo

from core.tools.deploying.patroni import PORT
from core.tools.embedded.server import ROOT
from tests.drills.ground import Ground
from tests.drills.outcomes import Outcome

PEOPLE, ACTS_EACH, SESSIONS = 32, 8, 4
_CODE = "session_pooled"
_STARTED_WITHIN_S = 120.0
_CELERY = (sys.executable, "-m", "celery", "--app", "core.config.celery")
_STARTS: Mapping[str, tuple[str, ...]] = {
    "web": (sys.executable, "-c", "import core.config.wsgi"),  # as each process of granian does
    "worker": (*_CELERY, "worker", "--concurrency", "1", "--hostname", "worker@pooled"),
    "migrate": (sys.executable, "manage.py", "migrate", "--database", "owner", "--no-input"),
}


def pooler(ground: Ground, rounds: int) -> Outcome:
    """Run acts of several persons at once without a pooler, and refuse all of them behind one.

    Twin: connections are made through the pooler all the same. What is done there is rolled back.
    """
    from tests.support import factories
    from tests.support.concurrency import pooling

    outcome = Outcome(twin_lost=0)
    if not pooling.PGBOUNCER:
        outcome.notes.append(pooling.MISSING)
        return outcome
    from core.staff.powers import Role

    leader = ground.cluster.machines[ground.cluster.wait_primary()].address
    urls = {
        name: make_conninfo(ground.cluster.environment[name], host=leader, port=str(PORT))
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL")
    }
    people = [factories.staff(Role.ORGANISER) for _ in range(PEOPLE)]
    folder = ground.cluster.folder
    acts = wrong = twin = 0
    with (
        pooling.pooler(folder / "app", urls["DATABASE_URL"], sessions=SESSIONS) as app,
        pooling.pooler(folder / "owner", urls["DATABASE_OWNER_URL"], sessions=SESSIONS) as owner,
    ):
        pooled = {"DATABASE_URL": app, "DATABASE_OWNER_URL": owner}
        for _ in range(rounds):
            with ground.selling() as crowd:
                wrong += pooling.acts_of_others(people, ACTS_EACH)
                acts += PEOPLE * ACTS_EACH
                for kind in _STARTS:
                    _note_start(ground, outcome, kind, pooled)
                with pooling.used(app):
                    outcome.lost += PEOPLE - sum(_refused() for _ in people)
                    with pooling.unchecked():
                        twin += pooling.acts_of_others(people, ACTS_EACH, kept=False)
                crowd.wait_sales()
            ground.audit(outcome, commands=False)
            outcome.rounds += 1
    ground.audit(outcome)
    outcome.lost += wrong
    outcome.twin_lost = twin
    outcome.figures |= {"acts": acts, "under_another_name": wrong, "twin_acts": acts}
    outcome.passed = not (outcome.lost or outcome.invented) and bool(twin)
    return outcome


def _note_start(ground: Ground, outcome: Outcome, kind: str, pooled: Mapping[str, str]) -> None:
    """Start a process of a kind behind the pooler; note it as lost if it is not refused."""
    environment = ground.cluster._environment_of(kind) | pooled
    try:
        done = subprocess.run(
            _STARTS[kind],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_STARTED_WITHIN_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        outcome.lost += 1
        outcome.notes.append(f"{kind} started behind the pooler")
        return
    if not done.returncode or _CODE not in done.stderr:
        outcome.lost += 1
        outcome.notes.append(f"{kind} was not refused as {_CODE}: {done.stderr[-300:]}")


def _refused() -> bool:
    """Return whether a new connection is refused; close it if it is not."""
    from core.database.engine.own_session import SessionPooled

    try:
        connection.ensure_connection()
    except SessionPooled:
        return True
    connection.close()
    return False

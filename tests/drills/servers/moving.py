"""The drills of other servers: dump and restore, logical replication, pg_upgrade, from 16 to 18.

Terminals sell on the old server until it is stopped, and on the new one after a lineage of the
journal has begun there. Then the old server goes on, too, as it never should: the verifier must
refuse its log with the new server's journal. They need no cluster. Each runs in a process of its
own, `python -m tests.drills.servers.moving NAME`.
"""

import json
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack, contextmanager
from io import StringIO
from pathlib import Path
from shutil import rmtree
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any
from uuid import UUID

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.server import var_folder
from tests.drills.outcomes import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lototrot.models.contest import Contest
    from tests.support.factories import Point

FROM, TO = "16", "18"
MOVES: Mapping[str, str] = {
    "dump": "restored from a dump",
    "logical": "copied by logical replication",
    "upgrade": "upgraded by pg_upgrade",
}
"""The drills by name, with the reason for which the lineage begins."""
AUDITS = ("journal_verify", "ledger_rebuild", "seals_verify")
_SETTINGS = {"shared_buffers": "64MB", "max_connections": "30", "wal_level": "logical"}
_TERMINALS, _SALES, _PATIENCE_S = 2, 60, 120


class Crowd:
    """Terminals that sell one after another on whichever server Django uses."""

    def __init__(self, contest: "Contest", points: "list[Point]") -> None:
        self._contest, self._points = contest, points
        self.answered: set[UUID] = set()
        self.asked: set[UUID] = set()
        self._lock = Lock()

    @contextmanager
    def selling(self) -> "Iterator[Callable[[], None]]":
        """Sell inside the block; it is given what stops the sales before its end."""
        over, enough = Event(), Event()
        threads = [Thread(target=self._sell, args=(at, over, enough)) for at in self._points]
        for thread in threads:
            thread.start()

        def stop() -> None:
            enough.wait(_PATIENCE_S)
            over.set()
            for thread in threads:
                thread.join()

        try:
            yield stop
        finally:
            stop()

    def _sell(self, at: "Point", over: Event, enough: Event) -> None:
        from django.db import connections

        from core.premises.requests import new_uuid
        from tests.support import factories

        sold = 0
        while not over.is_set():
            ident = new_uuid()
            self.asked.add(ident)
            sale = factories.sell(self._contest, at, request=ident, acknowledged=False)
            if sale.outcome == "sold":
                with self._lock:
                    self.answered.add(sale.uuid)
                sold += 1
            if sold >= _SALES:
                enough.set()
        connections.close_all()


def moved(name: str, folder: Path) -> Outcome:
    """Move a system on which terminals sell; return what was lost and whether all audits agree."""
    outcome = Outcome(rounds=1)
    old = Postgres(folder / "old", _SETTINGS, major=FROM)
    new = Postgres(folder / "new", _SETTINGS, major=TO)
    with ExitStack() as running:
        for server in (old, new):
            running.callback(server.destroy)
        old.start()
        set_up(old)
        _move(name, old, new, outcome)
    outcome.passed = not (outcome.lost or outcome.invented)
    return outcome


def _move(name: str, old: Postgres, new: Postgres, outcome: Outcome) -> None:
    from django.core.management import call_command

    from core.journal import lineages
    from tests.support.journaling import seal_all
    from tests.support.servers import WAYS, tickets, used

    call_command("migrate", database="owner", interactive=False, verbosity=0)
    crowd = _on_sale()
    before = tickets()
    with crowd.selling() as stop:
        seal_all()
        WAYS[name](old, new, stop)
    began = monotonic()
    with used(new):
        _need_refused(outcome)
        call_command("journal_lineage", begin=MOVES[name], stdout=StringIO())
        call_command("migrate", database="owner", interactive=False, verbosity=0)
        outcome.figures["lineage_s"] = round(monotonic() - began, 2)
        with crowd.selling():
            seal_all()
        seal_all()
        sold_since = tickets() - before
        outcome.lost += len(crowd.answered - sold_since)
        outcome.invented += len(sold_since - crowd.asked)
        outcome.figures |= {"sales": len(crowd.answered), "lineage": lineages.state().lineage}
        _audit(outcome)
        _fork(old, crowd, outcome)


def _on_sale() -> Crowd:
    """Seal a contest that has sold, and put another one on sale at some terminals."""
    from core.database import clock
    from core.kernel.days import natural_day
    from lototrot.services.contest.closing import contest_close_due
    from lototrot.services.seal.sealing import contest_seal
    from tests.bench.store import free_day
    from tests.support import factories
    from tests.support.servers import sell

    points = [factories.point() for _ in range(_TERMINALS)]
    earlier = factories.contest()
    sell(earlier, points[0], _SALES)
    factories.time_to(earlier.scheduled_close_at)
    contest_close_due(contest_id=earlier.pk)
    contest_seal(contest_id=earlier.pk)
    day = free_day(natural_day(clock.now()), step_days=1)
    contest = factories.contest(factories.meeting(numbers=range(1, 16), day=day))
    for point in points:
        factories.acknowledge(contest, point)
    return Crowd(contest, points)


def set_up(server: Postgres) -> None:
    """Set up Django in this process for a server."""
    os.environ |= {
        "DATABASE_URL": server.app_url,
        "DATABASE_OWNER_URL": server.owner_url,
        "VAR_DIR": str(server.folder.parent),
        "PROFILE": "development",
        "LIMITS_URL": "memory://",
        "CLOCK_WATCH": "false",
        "LOG_LEVEL": "WARNING",
    }
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "core.config.settings")
    (server.folder.parent / "static").mkdir(exist_ok=True)
    import django

    django.setup()
    import core.config.celery  # noqa: F401  (tasks are of this application)
    from core.journal.acting import name_process

    name_process("command:drill")


def _need_refused(outcome: Outcome) -> None:
    """Count as lost that a process would begin to serve before the lineage has begun."""
    from django.core.exceptions import ImproperlyConfigured

    from core.config.startup import verify_server

    try:
        verify_server()
    except ImproperlyConfigured as refused:
        if "lineage_not_begun" in str(refused):
            return
    outcome.lost += 1
    outcome.notes.append("a process would have begun to serve before the lineage")


def _audit(outcome: Outcome) -> None:
    from django.core.management import CommandError, call_command

    from core.config.startup import verify_server

    verify_server()
    for command in AUDITS:
        output = StringIO()
        try:
            call_command(command, stdout=output)
        except CommandError as fault:
            outcome.lost += 1
            outcome.notes.append(f"{command}: {fault}; {output.getvalue()[-300:]}")
        else:
            outcome.notes.append(f"{command}: {output.getvalue().strip()}")


def _fork(old: Postgres, crowd: Crowd, outcome: Outcome) -> None:
    """Let the old server go on as well; the new server's journal must not fit its log."""
    from core.journal.export import export
    from core.journal.services import checkpoint_publish, last_batch
    from tests.support.journaling import seal_all
    from tests.support.servers import used
    from tests.support.verifying.forging import Refused, public_key, published_log
    from tests.support.verifying.load import verifier

    folder, logs = old.folder.parent, {}
    journal = StringIO()
    export(journal)
    (folder / "journal").write_text(journal.getvalue(), "utf-8")
    logs["new"] = published_log()
    with old, used(old):
        with crowd.selling():
            seal_all()
        seal_all()
        last = last_batch()
        checkpoint_publish(number=last.pk if last else 0)
        logs["old"] = published_log()
    answers = {}
    check: Any = verifier("journal")
    for name, log in logs.items():
        (folder / name).with_suffix(".log").write_text("\n".join(map(json.dumps, log)), "utf-8")
        try:
            file = (folder / name).with_suffix(".log")
            answers[name] = check.check(str(folder / "journal"), str(file), public_key())
        except Refused as refused:
            answers[name] = f"refused: {refused}"
    outcome.notes.append(f"with its log: {answers['new']}; with the other's: {answers['old']}")
    if not answers["new"].startswith("WHOLE") or "two lineages" not in answers["old"]:
        outcome.lost += 1


def main(name: str) -> None:
    """Do one drill, and print its outcome as JSON."""
    from dataclasses import asdict

    folder = var_folder() / "moving" / name
    rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(json.dumps(asdict(moved(name, folder))))


if __name__ == "__main__":
    main(sys.argv[1])

"""The primary is killed for good and its standby promoted: what was answered is there, once.

A standby that was waited for lacks nothing, and the journal goes on as it was. One that was behind
lacks what was answered since: the terminals' UUIDs and the receivers' log say what, and a lineage
begins (docs/operations/journal.md, Another server).
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from pytest_django import DjangoDbBlocker

from core.config.startup import verify_server
from core.journal.lineages import state
from core.journal.verifying import verify
from core.ledger.books import differences
from core.nights.models import JobRun
from core.nights.services import night_run
from core.proofs.alarms import ALARMS
from core.proofs.delivery import deliver, deliveries_due
from core.tools.embedded.postgres import DATABASE, SUPERUSER, Postgres
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.services.contest.closing import contest_close
from promotrot.models.emission import Emission
from tests.support import emitting, factories
from tests.support.concurrency import seller
from tests.support.concurrency.forking import WAIT_S
from tests.support.concurrency.killing import audit, sellers
from tests.support.concurrency.sales import eventually
from tests.support.journaling import seal_all
from tests.support.servers import (
    SMALL,
    Standby,
    keep_in_memory,
    migrate,
    sell,
    standby_of,
    tickets,
    used,
)

pytestmark = pytest.mark.servers


@pytest.fixture
def pair(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[tuple[Postgres, Standby]]:
    primary = Postgres(tmp_path / "primary", SMALL)
    keep_in_memory(primary)
    with django_db_blocker.unblock():
        migrate(primary)
        try:
            with primary, standby_of(primary, tmp_path / "standby") as standby:
                yield primary, standby
        finally:
            primary.destroy()


def asked(server: Postgres, question: str) -> Any:
    with psycopg.connect(server.url(SUPERUSER, DATABASE), autocommit=True) as session:
        row = session.execute(question).fetchone()
    return row and row[0]


def ordered(server: Postgres, **settings: str) -> None:
    """Change settings of a running server."""
    with psycopg.connect(server.url(SUPERUSER, DATABASE), autocommit=True) as session:
        for name, value in settings.items():
            session.execute(f"ALTER SYSTEM SET {name} = '{value}'")
        session.execute("SELECT pg_reload_conf()")


def url_of_both(primary: Postgres, standby: Postgres) -> str:
    """Return the application's URL, which names both servers as that of production does."""
    host = primary.app_url.partition("host=")[2].partition("&")[0]
    other = standby.app_url.partition("host=")[2].partition("&")[0]
    return primary.app_url.replace(f"host={host}&port=5432", f"host={host},{other}&port=5432,5432")


def kill_for_good(server: Postgres) -> None:
    """Kill the server, and its keeper, which would start it again."""
    keeper, pid = server._keeper, server.pid
    assert keeper is not None and pid is not None
    keeper.send_signal(signal.SIGSTOP)
    try:
        os.kill(pid, signal.SIGKILL)
    finally:
        keeper.kill()
        keeper.wait(WAIT_S)


def cut_off(primary: Postgres, standby: Postgres) -> None:
    """Let the standby receive nothing any more."""
    ordered(standby, primary_conninfo="")
    eventually(lambda: asked(primary, "SELECT count(*) = 0 FROM pg_stat_replication"))


def silence(primary: Postgres, standby: Postgres) -> None:
    """Let the standby receive everything and confirm nothing."""
    ordered(primary, synchronous_commit="remote_apply")
    asked(standby, "SELECT pg_wal_replay_pause()")


def unanswered(primary: Postgres) -> bool:
    """Return whether a commit waits for the standby."""
    return bool(
        asked(primary, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    )


def received(primary: Postgres, standby: Postgres) -> bool:
    """Return whether the standby has everything that the primary has written."""
    written = asked(primary, "SELECT pg_current_wal_flush_lsn()::text")
    return bool(asked(standby, f"SELECT pg_last_wal_receive_lsn() >= '{written}'"))


def promote(standby: Standby) -> bool:
    """Promote the standby; return whether it is. Recovery may end the statement that asks."""
    question = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_promote() ELSE true END"
    try:
        return bool(asked(standby, question))
    except psycopg.errors.SerializationFailure:
        return False


@contextmanager
def promoted(standby: Standby) -> Iterator[None]:
    eventually(lambda: promote(standby))
    with used(standby):
        yield


def sound(lineage: int) -> None:
    """Assert that the server may serve, and that journal, ledger and nights find nothing."""
    verify_server()
    assert state().lineage == lineage
    factories.time_pass(days=1)
    assert {run.state for run in night_run()} == {JobRun.State.DONE}
    seal_all()
    assert verify().findings == []
    assert differences()[1] == []


@pytest.mark.article("14.III.1.5")
@pytest.mark.parametrize(("hold", "has"), [(silence, True), (cut_off, False)])
def test_a_standby_that_is_waited_for_lacks_nothing_that_was_answered(
    pair: tuple[Postgres, Standby],
    tmp_path: Path,
    hold: Callable[[Postgres, Postgres], None],
    has: bool,
) -> None:
    """The primary dies while sales wait for an answer. The standby `has` their log, or not."""
    primary, standby = pair
    with used(primary):
        plan = seller.prepare()
        seal_all()
    ordered(primary, synchronous_standby_names="*")
    eventually(lambda: asked(primary, "SELECT sync_state = 'sync' FROM pg_stat_replication"))
    environment = {
        "DATABASE_URL": url_of_both(primary, standby),
        "DATABASE_OWNER_URL": primary.owner_url,
    }
    with sellers(environment, plan, tmp_path, sales=5) as running:
        hold(primary, standby)
        eventually(lambda: unanswered(primary) and received(primary, standby) is has)
        died_at = asked(primary, "SELECT core_server_clock()")
        kill_for_good(primary)
        sold_before = [len(each.lines("sold")) for each in running]
        in_doubt = {ident for each in running for ident in each.in_doubt}
        with promoted(standby):
            eventually(
                lambda: all(
                    len(each.lines("sold")) > before + seller.AT_ONCE
                    for each, before in zip(running, sold_before, strict=True)
                )
            )
            # The terminals send what was in doubt again, some later than others sell.
            eventually(lambda: in_doubt <= {i for each in running for i in each.lines("sold")})
            for each in running:
                each.kill()
            answered = {ident for each in running for ident in each.lines("sold")}
            unknown = {ident for each in running for ident in each.in_doubt}
            with psycopg.connect(standby.owner_url) as session:
                audit(session, answered, answered | unknown)
            survived = Ticket.objects.filter(uuid__in=in_doubt, sold_at__lte=died_at)
            assert survived.exists() or not has
            sound(lineage=0)


@pytest.mark.article("14.III.1.5", "15.II.2")
def test_what_a_standby_that_was_behind_lacks_is_named_and_a_lineage_begins(
    pair: tuple[Postgres, Standby], tmp_path: Path, settings: Any
) -> None:
    """The terminals know what they sold; the receivers have what was published."""
    primary, standby = pair
    copy = tmp_path / "receiver"
    copy.mkdir()
    settings.LOG_RECEIVERS = [str(copy)]
    with used(primary):
        contest, point = factories.contest(), factories.point()
        emission = emitting.opened(emitting.small())
        kept = sell(contest, point, 5)
        delivered()
        eventually(lambda: received(primary, standby))
        cut_off(primary, standby)
        answered = kept | sell(contest, point, 7)
        contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
        emitting.opened(emitting.small("later"))
        delivered()
    kill_for_good(primary)
    with promoted(standby):
        assert answered - tickets() == answered - kept  # by the lists of the terminals
        contest.refresh_from_db()
        assert contest.state == Contest.State.OPEN
        listed = StringIO()
        with pytest.raises(CommandError, match="entries of the copy are not here"):
            call_command("log_compare", str(copy), stdout=listed)
        assert "promotrot.commitment later/1" in listed.getvalue()
        call_command("journal_lineage", "--begin", "promoted a standby that was behind")
        call_command("emissions_stop", stdout=listed)
        assert f"stopped: {emission.reference}" in listed.getvalue()
        emission.refresh_from_db()
        assert emission.state == Emission.State.STOPPED
        delivered()
        assert alarms() == 1  # the receiver has another entry of that number
        sell(contest, point, 3)
        contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
        sound(lineage=1)


def delivered() -> None:
    for receiver in deliveries_due():
        deliver(receiver_id=receiver)


def alarms() -> int:
    (alarm,) = (alarm for alarm in ALARMS if alarm.code == "proofs_two_logs")
    return len(alarm.rows())

"""Read much on a standby that has everything, and on the primary while the standby has not."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from io import StringIO
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.db import DatabaseError, InternalError, connection, connections, transaction
from pytest_django import DjangoDbBlocker

from core.admin_support.lists import exporting, files
from core.config.database_urls import standby_settings
from core.config.health import read_standby
from core.database import clock
from core.database.metrics import replication
from core.database.reading import standby as reading
from core.database.reading.standby import read_much
from core.kernel.days import natural_day
from core.nights import jobs
from core.nights.jobs import Job, Outcome
from core.nights.services import night_run
from core.periods import services
from core.premises.models import Premises
from core.reports import selectors
from core.staff.powers import Role
from core.tools.embedded.postgres import SUPERUSER, Postgres
from lototrot.selectors.running import RunningSums
from lototrot.selectors.totals import SUMMED
from tests.support import factories, rounds
from tests.support.servers import SMALL, migrate, standby_of, used

pytestmark = pytest.mark.servers


@dataclass(frozen=True, slots=True)
class Pair:
    """A primary and the standby that DATABASE_READ_URL names."""

    primary: Postgres
    standby: Postgres

    def at_standby(self, query: str) -> None:
        url = self.standby.url(SUPERUSER)
        with psycopg.connect(url, autocommit=True) as session:
            session.execute(query)


@pytest.fixture(scope="module")
def servers(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Pair]:
    folder = tmp_path_factory.mktemp("reading")
    primary = Postgres(folder / "primary", SMALL)
    with django_db_blocker.unblock():
        migrate(primary)
    with primary, standby_of(primary, folder / "standby") as standby:
        yield Pair(primary, standby)
    primary.destroy()


@pytest.fixture
def pair(servers: Pair, django_db_blocker: DjangoDbBlocker) -> Iterator[Pair]:
    with django_db_blocker.unblock(), used(servers.primary), read_from(servers.standby.app_url):
        yield servers


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_state", reading._State())


@contextmanager
def read_from(url: str) -> Iterator[None]:
    """Set DATABASE_READ_URL for a block of code."""
    before = connections.settings.get(reading.STANDBY)
    connections.settings[reading.STANDBY] = connections.settings["default"] | standby_settings(
        url, "web"
    )
    forget_session()
    try:
        yield
    finally:
        forget_session()
        if before:
            connections.settings[reading.STANDBY] = before
        else:
            del connections.settings[reading.STANDBY]


def forget_session() -> None:
    connections[reading.STANDBY].close()
    del connections[reading.STANDBY]


FOUND = services.Figures({"transfers": {}}, {}, 0)
"""The figures of a month, as far as a proposal needs them."""


def is_standby() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_is_in_recovery()")
        return bool(cursor.fetchone()[0])


def soon(holds: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 60
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def test_nothing_changes_without_another_server(db: None) -> None:
    assert not reading.has_standby()
    assert read_much(is_standby) is False
    assert read_standby() == ""


def test_what_was_answered_before_is_read_on_the_standby(pair: Pair) -> None:
    for number in range(5):
        premises = factories.premises()
        newest = read_much(lambda: (is_standby(), Premises.objects.latest("pk").pk))
        assert newest == (True, premises.pk), number
    assert is_standby() is False
    assert read_standby() == "ok"


def test_audits_of_the_night_read_the_standby_and_other_jobs_write_the_primary(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen(day: date) -> Outcome:
        return Outcome({"at_standby": int(is_standby())})

    audit = Job(name="an.audit", title="", order=90, run=seen, whole=False, everything=Outcome)
    own = [Job(name="a.list", title="", order=40, run=seen), audit]
    monkeypatch.setattr(jobs, "all_jobs", lambda: own)
    runs = {run.job: (run.state, run.counts) for run in night_run()}
    assert runs == {
        "a.list": ("done", {"at_standby": 0}),
        "an.audit": ("done", {"at_standby": 1}),
    }


def test_the_audits_that_there_are_can_read_a_standby(pair: Pair) -> None:
    day = natural_day(clock.now())
    for job in jobs.all_jobs():
        if job.everything:
            read_much(partial(job.run, day))
    assert read_standby() == "ok"


def test_files_of_lists_and_a_month_that_is_proposed_are_read_on_the_standby(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.time_pass(days=2)  # other tests of this pair have contests of their days
    factories.sell(factories.contest(), factories.point())
    factories.time_pass(days=40)
    before, seen = files.as_csv, []
    monkeypatch.setattr(files, "as_csv", lambda *a: (seen.append(is_standby()), before(*a))[1])
    by = factories.staff(Role.AUDITOR)
    outcome = exporting.export(by, {"table": "lototrot.ticket", "form": "csv", "query": ""})
    assert outcome.file
    with outcome.file.content:
        assert outcome.counts["rows"] and seen == [True]
    monkeypatch.setattr(services, "_closable", lambda *month: seen.append(is_standby()) or FOUND)
    services.period_propose(by=factories.staff(Role.ORGANISER))
    assert seen == [True, True]


def test_the_time_is_the_primarys_and_nothing_can_be_written(pair: Pair) -> None:
    asked = []
    with connections["default"].execute_wrapper(
        lambda execute, query, *rest: (asked.append(query), execute(query, *rest))[1]
    ):
        read_much(clock.now)
    assert "SELECT core_now()" in asked
    with pytest.raises(InternalError, match="read-only"):
        read_much(factories.premises)
    assert is_standby() is False


def test_rows_that_are_not_committed_are_read_where_they_are(pair: Pair) -> None:
    with transaction.atomic():
        assert read_much(is_standby) is False


def test_a_standby_that_is_behind_is_not_read_and_said_to_be_behind(
    pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.at_standby("SELECT pg_wal_replay_pause()")
    try:
        premises = factories.premises()
        with monkeypatch.context() as impatient:
            impatient.setattr(reading, "BEHIND_S", 0.05)
            newest = read_much(lambda: (is_standby(), Premises.objects.latest("pk").pk))
        assert newest == (False, premises.pk)
        assert read_standby() == "it is behind"
        # Also of a standby that has replayed nothing since its start.
        assert (reading.standby_lag_s() or 0) > 0
    finally:
        pair.at_standby("SELECT pg_wal_replay_resume()")
    assert read_much(is_standby) is False  # not asked again at once
    reading._state.until_s = 0
    assert soon(lambda: reading.standby_lag_s() == 0)
    assert read_much(is_standby) is True
    assert read_standby() == "ok"


def test_the_metrics_say_how_far_it_is_behind(pair: Pair, tmp_path: Path) -> None:
    assert soon(lambda: gauges()["read_standby_lag_seconds"] == [0.0])
    assert gauges()["read_standby_up"] == [1.0]
    with read_from(f"postgresql://app@/lototrot?host={tmp_path}"):
        assert (gauges()["read_standby_up"], gauges()["read_standby_lag_seconds"]) == ([0.0], [])


def gauges() -> dict[str, list[float]]:
    return {each.name: [sample.value for sample in each.samples] for each in replication()}


def test_the_boards_count_the_same_on_the_standby_as_on_the_primary(pair: Pair) -> None:
    contest, at = rounds.published(), factories.point()
    sums = RunningSums(SUMMED)
    for number in range(1, 7):
        factories.sell(contest, at)
        counted = read_much(lambda: (is_standby(), sums.read()[(contest.pk,)]))
        assert counted == (True, (number, number, 100 * number))
    assert sums._mark > 0
    assert sums.read()[(contest.pk,)] == (6, 6, 600)


def test_reports_and_audits_are_read_there_and_looks_recorded_here(pair: Pair) -> None:
    auditor = factories.staff(Role.AUDITOR)
    before = reading.READINGS.labels("standby")._value.get()
    selectors.report(by=auditor, name="sales-by-day")
    output = StringIO()
    call_command("ledger_rebuild", stdout=output)
    call_command("audit", "lototrot.audit", stdout=output)
    assert "none differs" in output.getvalue()
    assert reading.READINGS.labels("standby")._value.get() == before + 3


def test_a_reading_that_the_standby_breaks_off_is_done_on_the_primary(pair: Pair) -> None:
    def broken_off() -> bool:
        here = is_standby()
        if here:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return here

    assert read_much(broken_off) is False
    assert read_standby() == "it does not answer"


def test_a_reading_that_takes_too_long_is_not_begun_anew(pair: Pair) -> None:
    def long() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SET statement_timeout = 20")
            cursor.execute("SELECT pg_sleep(5)")

    with pytest.raises(DatabaseError, match="statement timeout"):
        read_much(long)
    connections[reading.STANDBY].close()


def test_a_server_that_is_no_standby_of_this_one_is_not_read(pair: Pair) -> None:
    with read_from(pair.primary.app_url + "&target_session_attrs=any"):
        assert read_much(is_standby) is False
        assert read_standby() == "it is no standby"


def test_one_that_is_away_costs_one_try_in_a_while(pair: Pair, tmp_path: Path) -> None:
    with read_from(f"postgresql://app@/lototrot?host={tmp_path}"):
        assert read_much(is_standby) is False
        assert read_standby() == "it does not answer"
        assert reading.standby_lag_s() is None

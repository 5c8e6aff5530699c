"""Nights run twice, three days late, by several at once, or killed at every step end alike.

One season of three meetings is played; then its database is copied, and the nights in which its
prizes lapse are run in each of these ways.
"""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from core.database.quiet import NotQuiet
from core.kernel.days import add_days
from core.ledger.books import differences
from core.ledger.selectors import trial
from core.ledger.services import balances
from core.nights.jobs import all_jobs
from core.nights.models import JobRun
from core.nights.services import NightRunning, jobs_due, night_run
from core.payoffice.models import Claim
from core.statements.models import Statement
from lototrot.models.contest import Contest
from lototrot.models.settlement import CarryOver, Lapse
from tests.support import databases
from tests.support.concurrency.forking import Forked
from tests.support.databases import Database
from tests.support.processes import killed_night
from tests.support.season import world as season
from tests.support.season.world import at

BEGINS = date(2030, 3, 4)
LAST = add_days(BEGINS, 30)
NIGHTS = [add_days(LAST, n) for n in range(4)]


def played() -> None:
    """Three meetings, some of their prizes claimed; the fourth is on sale when the rest lapses."""
    world = season.begin(Random(14), BEGINS)
    for number in range(3):
        day = add_days(BEGINS, number)
        world.claims(day)
        world.meeting(world.planned(day))
    for number in (3, 8, 29):
        world.claims(add_days(BEGINS, number))
    at(LAST, 0, 30)
    world.night()
    world.put_on_sale(world.planned(add_days(LAST, 20)), on=LAST)


def state() -> str:
    """All that is left of the nights, as JSON; without the times at which they were run.

    Jobs that recount run late for the newest day alone.
    """
    recounting = [job.name for job in all_jobs() if job.recounts]
    runs = JobRun.objects.exclude(job__in=recounting, day__lt=NIGHTS[-1])
    claims = Claim.objects.order_by("game", "document_id")
    end_state = {
        "balances": {b.code: b.cents for b in balances() if b.cents},
        "claims": list(claims.values_list("document_id", "state", "amount_cents", "day")),
        "lapses": list(Lapse.objects.order_by("pk").values_list("contest", "prizes", "cents")),
        "carried_over": list(
            CarryOver.objects.order_by("day").values_list("day", "contest", "cents")
        ),
        "contests": list(Contest.objects.order_by("pk").values_list("pk", "state")),
        "statements": list(
            Statement.objects.order_by("premises", "number").values_list(
                "premises", "number", "week_from", "closing_cents", "commission_cents"
            )
        ),
        "jobs": sorted(runs.values_list("job", "day", "state")),
    }
    return json.dumps(end_state, default=str, indent=1)


@contextmanager
def copy_of(source: Database) -> Iterator[Database]:
    """A copy of a database, which Django uses until the end."""
    connections.close_all()
    name = databases._new_name()
    with databases._owner() as owner:
        databases._create(owner, name, source.name)
    try:
        with databases._pointed_at(name):
            yield databases.database(name)
    finally:
        with databases._owner() as owner:
            databases._drop(owner, name)


def when_free(act: Callable[[], Any]) -> Any:
    """The server finds out about a dead client, or lets a session go, within a moment."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            return act()
        except (NightRunning, NotQuiet):
            time.sleep(0.01)
    raise AssertionError("the nights' lock was never released")


def morning_after(day: date) -> None:
    at(day + timedelta(days=1), 6)


def on_time() -> None:
    for day in NIGHTS:
        morning_after(day)
        when_free(night_run)


def twice() -> None:
    for day in NIGHTS:
        morning_after(day)
        when_free(night_run)
        assert when_free(night_run) == []


def three_days_late() -> None:
    morning_after(NIGHTS[-1])
    outcome = when_free(night_run)
    assert {run.day for run in outcome} == set(NIGHTS)


def by_many_at_once() -> None:
    morning_after(NIGHTS[-1])

    def run() -> int:
        try:
            return len(night_run())
        except (NightRunning, NotQuiet):
            return 0
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        work = [pool.submit(run) for _ in range(4)]
        ran = sum(each.result(120) for each in work)
    ran += len(when_free(night_run))
    assert ran == JobRun.objects.filter(day__in=NIGHTS).count()


def killed_at_every_step(database: Database, output: Path) -> None:
    morning_after(NIGHTS[-1])
    due = len(jobs_due())
    connections.close_all()
    nights = Forked(killed_night.main, environment=database.environment, output=output)
    try:
        assert nights.wait(280) == 0, nights.errors()[-2000:]
    finally:
        nights.kill()
    assert int(output.read_text()) > due
    when_free(night_run)
    assert JobRun.objects.filter(attempts__gte=2).count() >= due // 2


@pytest.fixture(scope="module")
def season_played(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Database, str]]:
    """A database with the season in it, and the state to which its nights come on time."""
    with django_db_blocker.unblock(), databases.clone() as database:
        played()
        with copy_of(database):
            before = state()
            on_time()
            expected = state()
            assert trial().difference_cents == 0
            assert differences()[1] == []
            assert CarryOver.objects.count() == 3
            assert Claim.objects.filter(state="lapsed").count() > 3
            assert before != expected
        yield database, expected


@pytest.fixture
def copied(
    season_played: tuple[Database, str], django_db_blocker: DjangoDbBlocker
) -> Iterator[tuple[Database, str]]:
    """A copy of the season for this test alone, and the state to which its nights shall come."""
    database, expected = season_played
    with django_db_blocker.unblock(), copy_of(database) as copy:
        yield copy, expected


@pytest.mark.article("14.III.10.2", "14.III.10.7")
@pytest.mark.parametrize("way", [twice, three_days_late, by_many_at_once])
def test_nights_end_alike_however_they_are_run(
    copied: tuple[Database, str], way: Callable[[], None]
) -> None:
    way()
    assert state() == copied[1]


@pytest.mark.article("14.III.10.2", "14.III.10.7")
def test_nights_killed_at_every_step_end_alike(
    copied: tuple[Database, str], tmp_path: Path
) -> None:
    database, expected = copied
    killed_at_every_step(database, tmp_path / "nights.txt")
    assert state() == expected
    assert trial().difference_cents == 0

"""PostgreSQL is killed whole in the work of nights and of months: nothing is half done or twice."""

from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_django import DjangoDbBlocker

from core.config.celery import app
from core.database import clock
from core.journal.verifying import Fault, verify
from core.kernel.days import add_days, natural_day
from core.ledger import services as ledger
from core.ledger.books import differences
from core.nights.jobs import Job, Outcome
from core.nights.models import JobFailure, JobRun
from core.nights.nightly import lapse
from core.nights.selectors import GONE_ON_AT_ONCE
from core.nights.services import last_day, night_run
from core.nights.tasks import DUE, night
from core.periods import nightly
from core.periods.archive.attaching import attach, schema_of
from core.periods.archive.retiring import retirement_propose
from core.periods.archive.writing import archive_write
from core.periods.models import Archive, ClosedPeriod, RetiredRows
from core.periods.services import period_propose
from core.proofs.copies import entries_of
from core.proofs.delivery import deliver, deliveries_due
from core.proofs.models import LogEntry, Receiver
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements.balances import mark_make
from core.statements.services import statements_issue
from core.tools.embedded.postgres import Postgres
from lototrot.models.settlement import CarryOver
from lototrot.services.prizes.carry_over import lapsed_carry_over
from tests.support import factories, rounds
from tests.support.concurrency.crashing import crashed, session_killed, whole_or_not_there
from tests.support.concurrency.dying import everything
from tests.support.contributing import contributed
from tests.support.journaling import seal_all
from tests.support.servers import SMALL, keep_in_memory, migrate, used
from tests.support.stating import debts_now
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier

EACH = 4
"""One in so many commits of the nights that delete is the last one before the server dies."""

# They share a server and its days: each begins with the night after that of the one before.
pytestmark = pytest.mark.random_order(disabled=True)


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, django_db_blocker: DjangoDbBlocker
) -> Iterator[Postgres]:
    server = Postgres(tmp_path_factory.mktemp("killed") / "postgres", SMALL)
    keep_in_memory(server)
    with django_db_blocker.unblock():
        migrate(server)
        try:
            server.start()
            with used(server):
                yield server
        finally:
            server.destroy()


@pytest.mark.article("14.III.10.2", "14.III.10.7")
def test_a_month_ends_is_closed_and_leaves_however_often_the_server_dies(
    server: Postgres, tmp_path: Path, settings: Any
) -> None:
    march_ended(server)
    delivered(server, tmp_path, settings)
    confirmed(server, period_propose(by=factories.staff(Role.ORGANISER)))
    archived(server, tmp_path)
    seal_all()
    by = factories.staff(Role.ORGANISER)
    confirmed(server, retirement_propose(by=by, number=1, kept="Safe"))
    removed(server)
    load = partial(attach, tmp_path / "2030-03")
    assert crashed(server, load, "before", 1)
    assert load() == schema_of("2030-03")
    sound(tmp_path)


def march_ended(server: Postgres) -> None:
    """Sell, settle and order a contest, issue statements, let it lapse, and carry that over."""
    factories.time_to(rounds.NOON)
    point = factories.point()
    seal_all()
    ordered = rounds.ordered(point)
    seal_all()
    factories.prints_ended(ordered)
    mark_make()
    seal_all()
    factories.time_pass(days=70)
    yesterday = add_days(natural_day(clock.now()), -1)
    whole_or_not_there(server, partial(lapse, yesterday))
    mark_make()
    whole_or_not_there(server, partial(statements_issue, until=yesterday))
    next_meeting = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    whole_or_not_there(server, partial(lapsed_carry_over, contest_id=next_meeting.pk))
    assert CarryOver.objects.get().contest_id == next_meeting.pk
    factories.time_pass(hours=1)


def delivered(server: Postgres, folder: Path, settings: Any) -> None:
    """Deliver the log. The receiver has an entry before it is on record that it has."""
    copy = folder / "receiver"
    copy.mkdir()
    settings.LOG_RECEIVERS = [str(copy)]
    (receiver,) = deliveries_due()
    work = partial(deliver, receiver_id=receiver)
    for when, at in (("before", 0), ("after", 0)):
        assert crashed(server, work, when, "core.proofs.delivery._give")
        assert Receiver.objects.get().delivered_sequence == at
    assert deliveries_due() == [receiver]
    work()
    assert deliveries_due() == []
    entries = [each.published() for each in LogEntry.objects.order_by("sequence")]
    assert list(entries_of(copy)) == entries


def confirmed(server: Postgres, proposal: Proposal) -> None:
    by = factories.staff(Role.AUDITOR)
    whole_or_not_there(server, partial(two_persons.confirm, proposal=proposal.uuid, by=by))


def archived(server: Postgres, folder: Path) -> None:
    """Archive a month. The files have their name before the row that says that they are there."""
    write = partial(archive_write, period=ClosedPeriod.objects.get(), folder=folder)
    assert crashed(server, write, "before", 1)
    assert (folder / "2030-03").exists()
    assert not Archive.objects.exists()
    assert crashed(server, write, "after", 1)
    assert write() == Archive.objects.get()


def removed(server: Postgres) -> None:
    """Delete what was retired, table by table; each night ends with the server."""
    night = partial(nightly.remove, natural_day(clock.now()))
    held, untouched = (ledger.balances(), debts_now()), everything()
    assert crashed(server, night, "before", 1)
    assert everything() == untouched
    nights = 1
    while crashed(server, night, ("before", "after")[nights % 2], EACH):
        nights += 1
        assert nights < 100, "they do not come to an end"
        assert (ledger.balances(), debts_now()) == held
    assert nights * EACH > RetiredRows.objects.count()
    assert not any(night().counts.values())
    assert (ledger.balances(), debts_now()) == held


def sound(folder: Path) -> None:
    """Assert that journal, ledger, periods, and the verifiers outside find nothing."""
    assert [each for each in verify().findings if each.what is not Fault.RULE] == []
    assert differences()[1] == []
    assert nightly.audit_everything().counts == {"periods": 1}
    log, key = published_log(), public_key()
    paths = str(folder / "2030-03"), written(folder, "log.jsonl", log), key
    assert "WHOLE: 2030-03" in verifier("archive").check(*paths)
    holds = verifier("public_log").log_holds(log, [bytes.fromhex(key)])
    assert holds.startswith("WHOLE")


@pytest.fixture
def doomed(server: Postgres, request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """Two jobs: the server dies in the first one the first `request.param` times. What was done."""
    done: list[str] = []

    def first(day: date) -> Outcome:
        if done.count("first") < request.param:
            done.append("first")
            session_killed(server)
        JobRun.objects.count()
        return Outcome({"rows": 1})

    def second(day: date) -> Outcome:
        done.append("second")
        return Outcome()

    jobs = [
        Job(name="first", title="First", order=1, run=first, whole=bool(request.param % 2)),
        Job(name="second", title="Second", order=2, run=second),
    ]
    with contributed("nightly", "JOBS", jobs):
        yield done
    factories.time_pass(days=1)  # the next one begins anew


@pytest.fixture
def sweep() -> Iterator[Callable[[], list[int]]]:
    """Do at once what the sweeper would send of nights; return what was due."""
    (work,) = DUE

    def swept() -> list[int]:
        due = list(work.due())
        for pk in due:
            work.task(pk)
        return due

    app.conf.task_always_eager = True
    yield swept
    app.conf.task_always_eager = False


@pytest.mark.parametrize("doomed", [1, 2], indirect=True)
def test_a_night_goes_on_by_itself_once_its_server_is_back(
    doomed: list[str], sweep: Callable[[], list[int]]
) -> None:
    """It went on an hour later: what a dead server had cut off counted as failed."""
    states = [run.state for run in night_run()]
    assert states == ["running", "done"]
    first = JobRun.objects.get(job="first", day=last_day())
    while sweep():
        pass
    assert set(doomed) == {"first", "second"}
    assert doomed.count("second") == 1
    first.refresh_from_db()
    assert (first.state, first.attempts) == ("done", doomed.count("first") + 1)
    failures = JobFailure.objects.filter(run=first)
    assert [each.error for each in failures] == ["cut off"] * doomed.count("first")


@pytest.mark.parametrize("doomed", [9], indirect=True)
def test_a_job_that_kills_its_server_again_and_again_waits_for_the_next_hour(
    doomed: list[str], sweep: Callable[[], list[int]]
) -> None:
    night()
    while sweep():
        assert len(doomed) < 9
    assert doomed == ["first", "second", *["first"] * (GONE_ON_AT_ONCE - 1)]
    assert JobRun.objects.get(job="first", day=last_day()).state == "running"

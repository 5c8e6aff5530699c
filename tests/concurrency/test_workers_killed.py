"""A worker that is killed leaves nothing half done and no mark that stays; the next one goes on."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from core.database import clock
from core.database.locks import Lock, session_hold
from core.journal.verifying import Fault, verify
from core.kernel.days import add_days, natural_day
from core.ledger import services as ledger
from core.ledger.books import differences
from core.longwork import selectors
from core.longwork.models import LongWork
from core.longwork.services import work_ask, work_cut_off, work_do
from core.longwork.tasks import hand_on
from core.nights.jobs import Job, Outcome
from core.nights.long_work import night_ask
from core.nights.models import JobFailure, JobRun
from core.nights.nightly import lapse
from core.periods import nightly
from core.periods.archive.attaching import attach, schema_of
from core.periods.archive.files import files_check
from core.periods.archive.retiring import retirement_propose
from core.periods.archive.writing import archive_write
from core.periods.models import Archive, ClosedPeriod, RetiredRows
from core.periods.services import period_propose
from core.proofs import log
from core.proofs.copies import entries_of
from core.proofs.delivery import deliver, deliveries_due
from core.proofs.models import LogEntry, Receiver
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements.services import statements_issue
from lototrot.models.settlement import CarryOver
from lototrot.services.prizes.carry_over import lapsed_carry_over
from lototrot.services.settlement.payment_order import payment_order_propose
from tests.core.periods.conftest import march_ended
from tests.support import factories, rounds
from tests.support.concurrency import stopping
from tests.support.concurrency.dying import When, everything, killed, whole_or_not_there
from tests.support.concurrency.forking import stopped
from tests.support.concurrency.sales import eventually
from tests.support.concurrency.stopping import ENDLESS
from tests.support.contributing import contributed
from tests.support.databases import Database
from tests.support.journaling import seal_all
from tests.support.stating import debts_now

WRITING = "core.periods.archive.writing"


@pytest.fixture
def job() -> Iterator[Job]:
    """The only job there is: that of the worker which is killed, and it ends here."""
    endless = Job(name=ENDLESS, title="Endless", order=1, run=lambda day: Outcome({"rows": 1}))
    with contributed("nightly", "JOBS", [endless]):
        yield endless


def test_work_whose_worker_was_killed_is_said_to_be_cut_off_and_is_taken_up_anew(
    own_database: Database, job: Job, tmp_path: Path
) -> None:
    organiser = factories.staff(Role.ORGANISER)
    work = night_ask(by=organiser)
    worker = (stopping.long_work, work.pk)
    with stopped(*worker, environment=own_database.environment, output=tmp_path / "worker"):
        work.refresh_from_db()
        assert (work.state, work.step, work.number, work.steps) == ("running", ENDLESS, 1, 1)
        assert selectors.cut_off() == [] and not work_cut_off(work.pk)
        assert night_ask(by=organiser) == work  # the same night, which goes on
    eventually(lambda: selectors.cut_off() == [work.pk])
    assert not work_do(work.pk)  # a message that came twice
    hand_on(work.pk)
    work.refresh_from_db()
    assert (work.state, work.fault) == ("cut_off", "cut_off")
    run = JobRun.objects.get()
    assert (run.state, run.attempts) == ("running", 1)

    again = night_ask(by=organiser)
    assert again != work
    assert work_do(again.pk)
    again.refresh_from_db()
    assert (again.state, again.result) == ("done", {"jobs": 1})
    run.refresh_from_db()
    assert (run.state, run.attempts, run.counts) == ("done", 2, {"rows": 1})
    assert JobFailure.objects.get().error == "cut off"
    assert LongWork.objects.count() == 2


def test_a_long_statement_of_a_worker_that_was_killed_ends_and_keeps_no_night_waiting(
    own_database: Database, tmp_path: Path
) -> None:
    """The server would otherwise go on with it, for hours, and hold the locks of its session."""

    def is_asleep() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()"
                " AND state = 'active' AND query LIKE 'SELECT pg_sleep%')"
            )
            return bool(cursor.fetchone()[0])

    def is_free() -> bool:
        with session_hold(Lock.NIGHT) as alone:
            return alone

    environment, output = own_database.environment, tmp_path / "worker"
    with stopped(stopping.wait_long, environment=environment, output=output):
        eventually(is_asleep)
        assert not is_free()
    eventually(is_free)


# --- At each commit -------------------------------------------------------------------------------


@pytest.mark.article("14.III.8.2", "14.III.10.2", "14.III.10.7")
def test_what_follows_a_settlement_is_whole_or_not_there(own_database: Database) -> None:
    factories.time_to(rounds.NOON)
    contest = rounds.settled(factories.point())
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    order = partial(two_persons.confirm, proposal=proposal.uuid, by=second)
    whole_or_not_there(order, own_database.environment)
    factories.time_pass(days=70)
    yesterday = add_days(natural_day(clock.now()), -1)
    whole_or_not_there(partial(statements_issue, until=yesterday), own_database.environment)
    whole_or_not_there(partial(lapse, yesterday), own_database.environment)
    next_meeting = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    carry_over = partial(lapsed_carry_over, contest_id=next_meeting.pk)
    whole_or_not_there(carry_over, own_database.environment)
    assert CarryOver.objects.get().contest_id == next_meeting.pk
    rounds.books_agree()


def test_a_month_is_closed_and_leaves_whatever_worker_is_killed(
    own_database: Database, tmp_path: Path
) -> None:
    march_ended(batches=True)
    proposal = period_propose(by=factories.staff(Role.ORGANISER))
    confirmed_by_workers(proposal, own_database)
    archived_by_workers(ClosedPeriod.objects.get(), tmp_path, own_database)
    seal_all()
    by = factories.staff(Role.ORGANISER)
    confirmed_by_workers(retirement_propose(by=by, number=1, kept="Safe"), own_database)
    removed_by_nights(own_database)
    load = partial(attach, tmp_path / "2030-03")
    assert killed(load, "before", 1, own_database.environment)
    assert load() == schema_of("2030-03")


def confirmed_by_workers(proposal: Proposal, database: Database) -> None:
    """Confirm a proposal by two workers. One is killed before its commit, the other after it."""
    by, content = factories.staff(Role.AUDITOR), {"proposal": str(proposal.uuid)}
    ask = partial(work_ask, kind=two_persons.CONFIRMING, by=by, content=content)
    work, untouched = ask(), everything()
    assert killed(partial(work_do, work.pk), "before", 1, database.environment)
    left = {table for table, rows in everything().items() if rows != untouched.get(table)}
    own = {table for table in left if not table.startswith("journal_")}
    assert own == {LongWork._meta.db_table}
    assert work_cut_off(work.pk)
    again = ask()
    assert again != work
    assert killed(partial(work_do, again.pk), "after", 1, database.environment)
    again.refresh_from_db()
    assert again.state == "done"
    done = everything()
    two_persons.confirm(proposal=proposal.uuid, by=by)
    assert everything() == done


def archived_by_workers(period: ClosedPeriod, folder: Path, database: Database) -> None:
    """Archive a month. Who is killed leaves the whole folder or none, and at most a hidden one."""
    write = partial(archive_write, period=period, folder=folder)
    places: list[tuple[When, str | int, bool]] = [
        ("before", f"{WRITING}._put", False),
        ("after", f"{WRITING}._put", True),
        ("before", 1, True),
    ]
    for when, place, is_named in places:
        assert killed(write, when, place, database.environment)
        assert (folder / "2030-03").exists() is is_named
        assert not Archive.objects.exists()
    assert killed(write, "after", 1, database.environment)
    archive = Archive.objects.get()
    assert write() == archive
    assert files_check(folder / "2030-03") == archive.manifest


def removed_by_nights(database: Database) -> None:
    """Delete what was retired. Each night is killed after its first commit, until none is left.

    That the journal is sound after each of them is proved by `test_removing.py`.
    """
    night = partial(nightly.remove, natural_day(clock.now()))
    held, untouched = (ledger.balances(), debts_now()), everything()
    assert killed(night, "before", 1, database.environment)
    assert everything() == untouched
    nights = 0
    while killed(night, "after", 1, database.environment):
        nights += 1
        assert nights < 100, "they do not come to an end"
        assert (ledger.balances(), debts_now()) == held
    assert nights > RetiredRows.objects.count()
    assert not any(night().counts.values())
    assert [each for each in verify().findings if each.what is not Fault.RULE] == []
    assert differences()[1] == []


def test_an_entry_of_the_log_is_delivered_whole_whatever_worker_is_killed(
    own_database: Database, settings: Any, tmp_path: Path
) -> None:
    settings.LOG_RECEIVERS = [str(tmp_path)]
    with transaction.atomic():
        log.publish(kind="test.fact", subject="a", document={"is": "a"})
    (receiver,) = deliveries_due()
    work = partial(deliver, receiver_id=receiver)
    places: list[tuple[When, str]] = [
        ("after", "os.fsync"),
        ("before", "os.link"),
        ("after", "os.link"),
        ("after", "core.proofs.delivery._give"),
    ]
    for when, place in places:
        assert killed(work, when, place, own_database.environment)
        assert Receiver.objects.get().delivered_sequence == 0
        assert deliveries_due() == [receiver]
    assert work() == LogEntry.objects.count()
    copy = [each.published() for each in LogEntry.objects.order_by("sequence")]
    assert list(entries_of(tmp_path)) == copy
    assert deliveries_due() == []

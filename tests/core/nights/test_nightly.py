"""Do the nightly jobs that belong to no single game."""

import uuid
from collections.abc import Mapping
from datetime import UTC, date, datetime
from types import SimpleNamespace
from unittest import mock

import pytest

from core.database import clock, due_work
from core.kernel.days import add_days
from core.kernel.errors import InvariantBroken
from core.ledger import services as ledger
from core.ledger.services import Line, asset, liability
from core.nights import nightly
from core.nights.models import JobRun
from tests.support import factories, paying
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, seal_all, touched

DAY = date(2030, 3, 4)


@pytest.mark.django_db
@pytest.mark.article("14.III.10.2")
def test_unclaimed_prizes_lapse_once() -> None:
    paying.worth(500)
    day = factories.time_pass(days=60).date()
    lapsed = nightly.lapse(day).counts
    assert (lapsed["groups"], lapsed["documents"], lapsed["cents"]) == (1, 1, 500)
    assert nightly.lapse(day).counts == {"groups": 0, "documents": 0, "cents": 0}


@pytest.mark.django_db
def test_a_night_looks_for_lapses_since_a_week_before_the_last_night(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    day, asked = date(2030, 3, 9), []
    source = SimpleNamespace(lapses_due=lambda *days: asked.append(days) or [])
    monkeypatch.setattr(nightly.sources, "all_sources", lambda: [source])
    nightly.lapse(day)
    now = clock.now()
    for last, state in ((date(2030, 3, 7), "done"), (date(2030, 3, 8), "failed")):
        error = "it failed" if state == "failed" else ""
        run = {"job": "claims.lapse", "day": last, "state": state, "error": error}
        JobRun.objects.create(started_at=now, ended_at=now, **run)
    nightly.lapse(day)
    assert asked == [(date(2030, 3, 10), date.min), (date(2030, 3, 10), date(2030, 2, 28))]


@pytest.mark.django_db
def test_due_work_goes_on_after_a_failure_and_names_it() -> None:
    left = {1, 2}

    def run(pk: int) -> bool:
        if pk == 1:
            raise InvariantBroken
        left.discard(pk)
        return True

    task = mock.Mock(side_effect=run)
    task.name = "test.work"
    work = SimpleNamespace(task=task, due=lambda: sorted(left))
    with (
        mock.patch.object(due_work, "due_work", lambda: [work]),
        pytest.raises(nightly.WorkFailed) as failure,
    ):
        nightly.do_due_work(DAY)
    assert failure.value.data["failed"] == [["test.work", 1, "invariant_broken"]]
    assert left == {1}


def test_the_audit_names_accounts_that_are_not_what_happened(own_database: Database) -> None:
    assert nightly.audit(DAY).counts["transfers"] == 0
    line = Line("test", asset("treasury"), liability("test:odd"), 5)
    ledger.post(reference=uuid.uuid4(), lines=[line])
    with pytest.raises(nightly.BooksDiffer) as differ:
        nightly.audit(DAY)
    assert {row["account"] for row in differ.value.data["accounts"]} == {"treasury", "test:odd"}


@pytest.mark.django_db
def test_nothing_waits_and_nothing_is_purged_on_an_empty_day() -> None:
    assert nightly.waiting(DAY).listed == {"rulings_due": []}
    assert not any(nightly.purge(DAY).counts.values())


def test_a_night_names_what_was_changed_since_the_last_one(own_database: Database) -> None:
    monday = date(2030, 3, 4)
    factories.time_to(datetime(2030, 3, 5, 2, tzinfo=UTC))
    factories.premises()
    seal_all()
    first = nightly.journal_audit(monday)
    assert first.counts["batches"] == first.counts["last_batch"] > 0
    JobRun.objects.create(
        job=nightly.JOURNAL_AUDIT,
        day=monday,
        state=JobRun.State.DONE,
        started_at=clock.now(),
        ended_at=clock.now(),
        counts=dict(first.counts),
    )
    place = factories.premises()
    seal_all()
    assert nightly.journal_audit(add_days(monday, 1)).counts["batches"] > 0
    with as_owner(own_database), touched("premises_premises"):
        execute("UPDATE premises_premises SET name = 'x' WHERE id = %s", [place.pk])
        with pytest.raises(nightly.JournalDiffers) as refusal:
            nightly.journal_audit(add_days(monday, 1))
    findings = refusal.value.data["findings"]
    assert any(f"premises_premises {place.pk}" in finding for finding in findings)


def done(night: date, counts: Mapping[str, int]) -> None:
    """Record the audit of the journal as done for a night."""
    now = clock.now()
    JobRun.objects.create(
        job=nightly.JOURNAL_AUDIT,
        day=night,
        state=JobRun.State.DONE,
        started_at=now,
        ended_at=now,
        counts=dict(counts),
    )


def test_an_old_row_that_was_changed_is_found_when_its_period_has_its_turn(
    own_database: Database,
) -> None:
    factories.time_to(datetime(2030, 1, 5, 12, tzinfo=UTC))
    old = factories.premises()
    seal_all()
    night = date(2030, 6, 4)
    factories.time_to(datetime(2030, 6, 5, 2, tzinfo=UTC))
    factories.premises()
    seal_all()
    first = nightly.journal_audit(night)  # the first night verifies all
    assert first.counts["turn"] == 1
    done(night, first.counts)
    with as_owner(own_database), touched("premises_premises"):
        execute("UPDATE premises_premises SET name = 'x' WHERE id = %s", [old.pk])
        assert f"premises_premises {old.pk}," not in found_by(add_days(night, 1))
        done(add_days(night, 3), dict(first.counts) | {"turn": 5})
        assert f"premises_premises {old.pk}," in found_by(add_days(night, 4))


def found_by(night: date) -> str:
    """Return what the audit of a night finds; the disabled trigger in any case."""
    with pytest.raises(nightly.JournalDiffers) as refusal:
        nightly.journal_audit(night)
    return " ".join(refusal.value.data["findings"])

"""Provide a race day to look at in the admin."""

import pytest

from core.nights.models import JobRun
from core.premises.suspending import sales_suspend
from lototrot.services.races import withdrawals
from tests.support import factories
from tests.support.admin_desk import RaceDay, race_day


@pytest.fixture
def day(db: None) -> RaceDay:
    """Return a race day, with rows also of suspensions, enrolments, proposals and jobs."""
    return _filled()


@pytest.fixture(scope="module")
def shared_day(shared: None) -> RaceDay:
    """Return such a day for all tests of a module, also those that do not ask for it.

    What one of them writes is undone after it; the day is undone after the last.
    """
    return _filled()


def _filled() -> RaceDay:
    filled = race_day()
    organiser = filled.organisers[0]
    sales_suspend(by=organiser, reason="Storm", premises=filled.point.premises.code)
    factories.enrolment_code(filled.point.premises, filled.point.terminal.code)
    other = factories.contest(factories.meeting(first_start_at=factories.time_pass(days=1)))
    race = factories.races_of(other)[0]
    withdrawals.withdrawal_enter(by=organiser, race_id=race.pk, number=4, source="Vet")
    JobRun.objects.create(
        job="a", day=other.day, state=JobRun.State.RUNNING, started_at=other.created_at
    )
    return filled

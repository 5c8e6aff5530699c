"""Check the alarms of Lototrot."""

import datetime

import pytest

from lototrot.alarms import closings_overdue
from lototrot.services.contest.closing import contest_close_due
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_a_closing_that_no_worker_recorded_is_an_alarm_until_it_is() -> None:
    contest = factories.contest()
    factories.time_to(contest.scheduled_close_at + datetime.timedelta(seconds=30))
    assert closings_overdue() == []
    factories.time_pass(minutes=1)
    (row,) = closings_overdue()
    assert (row.subject, row.since) == (contest, contest.scheduled_close_at)
    assert contest_close_due(contest_id=contest.pk)
    assert closings_overdue() == []

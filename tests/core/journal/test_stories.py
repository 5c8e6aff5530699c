"""Stories of rows: found by two statements and the acts, however many rows there are."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.journal.selectors import MOST_OF_A_TABLE, story
from core.premises.models import Premises, Suspension
from core.premises.suspending import sales_resume, sales_suspend
from core.staff.powers import Role
from tests.support import factories

pytestmark = pytest.mark.django_db
PREMISES = Suspension._meta.get_field("premises")


def test_a_story_has_the_newest_rows_of_each_table_and_their_changes() -> None:
    organiser, place = factories.staff(Role.ORGANISER), factories.point().premises
    for _ in range(MOST_OF_A_TABLE + 3):
        one = sales_suspend(by=organiser, reason="Storm", premises=place.code)
        sales_resume(by=organiser, suspension=one.pk)
    with CaptureQueriesContext(connection) as asked:
        told_of = story(place, [PREMISES])
    rows = [row for step in told_of.steps for row in step.rows]
    assert place in rows
    suspensions = [row.pk for row in rows if isinstance(row, Suspension)]
    assert sorted(suspensions) == [one.pk - number for number in reversed(range(MOST_OF_A_TABLE))]
    changes = [change for step in told_of.steps for row, change in step.changes if row == one]
    assert changes[-1].before["lifted_at"] is None
    assert told_of.left_out == [(PREMISES, 3)]
    assert len(asked) <= 6


def test_a_row_that_nothing_refers_to_tells_its_own_act() -> None:
    place: Premises = factories.point().premises
    (step,) = story(place, []).steps
    assert step.rows == [place] and step.act.name == "command:tests"

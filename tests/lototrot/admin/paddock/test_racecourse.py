"""A racecourse's page: every race, day by day, with its state, result and contests."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.staff.powers import Role
from lototrot.admin.paddock.racecourse import days_of
from lototrot.models.programme import Racecourse, Runner
from tests.support import factories
from tests.support.admin_desk import Desk, row_url, text_of

pytestmark = pytest.mark.django_db


def test_every_race_is_shown_with_state_result_and_contests() -> None:
    contest = factories.contest()
    first, *_, last = races = factories.races_of(contest)
    factories.classified(first, [3])
    desk = Desk(Role.AUDITOR)
    response = desk.client.get(row_url(first.racecourse))
    page, text = response.content.decode(), text_of(response)
    for race in races:
        assert row_url(race) in page
    assert page.count(row_url(contest)) == len(races)
    assert Runner.objects.get(race=first, number=3).name in text
    assert Runner.objects.get(race=last, number=3).name not in text
    assert text.count("To be run") == len(races) - 1
    assert "&lt;" not in page.partition("house-days")[2].partition("</section>")[0]
    day = f"/admin/paddock/{first.racecourse.code}/{first.meeting.day.isoformat()}/"
    assert f'href="{day}"' in page


def test_races_of_another_racecourse_are_not_shown() -> None:
    one, other = (factories.meeting().races.first() for _ in range(2))
    assert one.racecourse != other.racecourse
    page = Desk(Role.AUDITOR).get(row_url(one.racecourse))
    assert row_url(one) in page
    assert row_url(other) not in page


def test_days_come_newest_first_and_older_ones_on_the_next_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lototrot.admin.paddock.racecourse.DAYS_SHOWN", 2)
    meeting = factories.meeting(races=1)
    course = meeting.races.get().racecourse
    for days in (1, 2):
        day = meeting.day + timedelta(days=days)
        factories.meeting(races=2, course=course, day=day)
    days, more = days_of(course, None)
    assert [each["day"] - meeting.day for each in days] == [timedelta(days=2), timedelta(days=1)]
    assert [len(each["races"]) for each in days] == [2, 2]
    assert more == meeting.day + timedelta(days=1)
    rest, none = days_of(course, more)
    assert [(each["day"], len(each["races"])) for each in rest] == [(meeting.day, 1)]
    assert none is None
    page = Desk(Role.AUDITOR).get(row_url(course))
    assert f'href="?before={more.isoformat()}"' in page
    assert row_url(meeting.races.get()) in Desk(Role.AUDITOR).get(row_url(course), before=more)


def test_a_racecourse_without_races_says_so() -> None:
    course = Racecourse.objects.create(code="mao", name="Maó", timezone="Europe/Madrid")
    assert "No race of this racecourse" in Desk(Role.AUDITOR).get(row_url(course))


@pytest.mark.parametrize("before", ["x", "2026-02-30", "99999-01-01", ""])
def test_a_day_that_is_none_shows_the_newest(before: str) -> None:
    race = factories.meeting().races.first()
    assert row_url(race) in Desk(Role.AUDITOR).get(row_url(race.racecourse), before=before)


def test_there_is_no_page_of_a_racecourse_that_does_not_exist() -> None:
    assert Desk(Role.AUDITOR).client.get("/admin/lototrot/racecourse/0/change/").status_code == 302


def test_races_cost_the_same_however_many() -> None:
    counts = []
    for races in (2, 12):
        course = factories.meeting(races=races).races.first().racecourse
        with CaptureQueriesContext(connection) as queries:
            days_of(course, None)
        counts.append(len(queries))
    assert counts[0] == counts[1]

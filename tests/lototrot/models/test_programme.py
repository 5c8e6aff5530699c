"""Check what the database refuses of racecourses, meetings, races and approvals."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from lototrot.models.programme import FederationApproval, Race, Racecourse, Runner
from tests.support import factories
from tests.support.databases import Database

pytestmark = pytest.mark.article("14.III.5.2")


@pytest.mark.django_db
def test_a_programme_does_not_change_after_its_import() -> None:
    meeting = factories.meeting(races=1)
    race = meeting.races.get()
    for rows, changes in (
        (type(meeting).objects.filter(pk=meeting.pk), {"name": "Another"}),
        (Race.objects.filter(pk=race.pk), {"number": 9}),
        (Runner.objects.filter(race=race), {"name": "Another"}),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**changes)


@pytest.mark.django_db
def test_a_racecourse_changes_its_name_but_not_its_time_zone() -> None:
    course = factories.racecourse()
    Racecourse.objects.filter(pk=course.pk).update(name="Son Pardo")
    with pytest.raises(DatabaseError), transaction.atomic():
        Racecourse.objects.filter(pk=course.pk).update(timezone="Europe/Paris")


@pytest.mark.django_db
def test_a_race_has_its_number_once_in_a_meeting() -> None:
    meeting = factories.meeting(races=1)
    race = meeting.races.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.race(meeting, race.number, race.scheduled_start_at, course=race.racecourse)


@pytest.mark.django_db
def test_an_approval_needs_a_name_and_a_reference() -> None:
    approved = factories.meeting(races=0).approval
    meeting = factories.meeting(races=0, approved=False)
    values = {
        "approved_at": approved.approved_at,
        "recorded_by_id": approved.recorded_by_id,
        "recorded_in_id": approved.recorded_in_id,
        "recorded_at": approved.recorded_at,
    }
    for name, reference in (("", "FBT-2"), ("Federació Balear de Trot", "")):
        with pytest.raises(IntegrityError), transaction.atomic():
            FederationApproval.objects.create(
                meeting=meeting, approved_by=name, reference=reference, **values
            )


@pytest.mark.article("14.I.2")
def test_no_race_and_no_runner_comes_into_a_programme_later(own_database: Database) -> None:
    """A program with the application's role could add one, also after the last race."""
    meeting = factories.meeting(races=1, numbers=[1, 2])
    race = meeting.races.get()
    with pytest.raises(IntegrityError, match="the programme of its meeting is complete"):
        Runner.objects.create(race=race, number=3, name="Late")
    with pytest.raises(IntegrityError, match="the programme of its meeting is complete"):
        factories.race(meeting, 2, race.scheduled_start_at, course=race.racecourse)
    assert [runner.number for runner in race.runners.order_by("number")] == [1, 2]
    assert factories.meeting(races=2).races.count() == 2

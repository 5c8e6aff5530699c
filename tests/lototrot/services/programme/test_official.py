"""Programmes: taken whole or not at all, approved once, frozen (14.I.2, 14.III.5.2)."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.kernel.days import NaiveInstant
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from lototrot.engine.programme import ProgrammeInvalid
from lototrot.models.programme import Meeting, Race, Racecourse, Runner
from lototrot.sample.facts import BOTH, MEETINGS, SON_PARDO, programme_file
from lototrot.selectors.cards import meeting_cards
from lototrot.services.programme.official import (
    ApprovalAhead,
    ApprovalIncomplete,
    ApprovalRecorded,
    MeetingUnknown,
    ProgrammeRecorded,
    RacecourseDiffers,
    approval_record,
    meeting_get,
    programme_import,
)
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> StaffActor:
    return factories.staff(Role.ORGANISER)


def changed(name: str = SON_PARDO, **parts: Any) -> bytes:
    """A sample's file with some fields of its meeting or racecourse changed."""
    document = json.loads(programme_file(name))
    document["meeting"] |= parts.get("meeting", {})
    document["racecourses"][0] |= parts.get("racecourse", {})
    return json.dumps(document).encode()


@pytest.mark.article("14.I.2", "14.III.5.1")
@pytest.mark.parametrize("name", MEETINGS)
def test_every_sample_is_taken_whole(organiser: StaffActor, name: str) -> None:
    data = programme_file(name)
    meeting = programme_import(by=organiser, data=data, format="json")
    document = json.loads(data)
    assert meeting.reference == document["meeting"]["reference"]
    assert meeting.day.isoformat() == document["meeting"]["day"]
    assert meeting.document["format"] == "lototrot-programme-1"
    for race in document["races"]:
        kept = Race.objects.get(
            meeting=meeting, racecourse__code=race["racecourse"], number=race["number"]
        )
        assert kept.scheduled_start_at == datetime.fromisoformat(race["scheduled_start"])
        runners = {r["number"]: r["name"] for r in race["runners"]}
        assert dict(kept.runners.values_list("number", "name")) == runners


def test_csv_and_json_of_one_programme_are_one_meeting(organiser: StaffActor) -> None:
    first = programme_import(by=organiser, data=programme_file(SON_PARDO), format="json")
    again = programme_import(by=organiser, data=programme_file(SON_PARDO, "csv"), format="csv")
    assert again.pk == first.pk
    assert Meeting.objects.count() == 1
    assert Runner.objects.count() == sum(len(r["runners"]) for r in first.document["races"])


def test_what_the_file_says_of_a_runner_and_a_race_is_kept(organiser: StaffActor) -> None:
    document = json.loads(programme_file(SON_PARDO))
    race = document["races"][0]
    long_text = "Per a cavalls de quatre anys. " * 16
    race |= {"conditions": long_text.strip(), "start_method": "standing", "distance_m": 2400}
    race["runners"][0] |= {
        "driver": "B. Riera",
        "trainer": "C. Vidal",
        "sex": "mare",
        "age_years": 4,
        "distance_m": 2425,
    }
    meeting = programme_import(by=organiser, data=json.dumps(document).encode(), format="json")
    card = meeting_cards(meeting)[0]
    assert card.conditions == long_text.strip()
    assert (card.race.start_method, card.race.distance_m) == ("standing", 2400)
    runner = card.runners[0].runner
    assert (runner.driver, runner.trainer, runner.sex_age) == ("B. Riera", "C. Vidal", "mare 4")
    assert runner.distance_m == 2425


def test_one_bad_line_refuses_the_whole_file(organiser: StaffActor) -> None:
    lines = programme_file(SON_PARDO, "csv").decode().splitlines()
    at = lines[0].split(",").index("runner_number")
    cells = lines[40].split(",")
    lines[40] = ",".join([*cells[:at], "32", *cells[at + 1 :]])
    with pytest.raises(ProgrammeInvalid) as refused:
        programme_import(by=organiser, data="\n".join(lines).encode(), format="csv")
    (error,) = refused.value.data["errors"]
    assert error["code"] == "out_of_range"
    assert error["place"].startswith("line 41, ")
    assert not Meeting.objects.exists()
    assert not Racecourse.objects.exists()


@pytest.mark.article("14.III.5.2")
def test_a_reference_has_one_programme(organiser: StaffActor) -> None:
    first = programme_import(by=organiser, data=programme_file(SON_PARDO), format="json")
    other = changed(meeting={"name": "Una altra jornada"})
    with pytest.raises(ProgrammeRecorded) as refused:
        programme_import(by=organiser, data=other, format="json")
    assert refused.value.data == {"meeting": first.pk, "reference": first.reference}
    corrected = changed(meeting={"name": "Una altra jornada", "reference": "DEMO-2027-15b"})
    assert programme_import(by=organiser, data=corrected, format="json").pk != first.pk
    assert Meeting.objects.count() == 2


def test_a_racecourse_is_brought_up_to_date_but_does_not_move(organiser: StaffActor) -> None:
    programme_import(by=organiser, data=programme_file(SON_PARDO), format="json")
    renamed = changed(
        meeting={"reference": "R2"}, racecourse={"name": "Son Pardo", "municipality": "Ciutat"}
    )
    programme_import(by=organiser, data=renamed, format="json")
    course = Racecourse.objects.get()
    assert (course.name, course.municipality) == ("Son Pardo", "Ciutat")
    moved = changed(meeting={"reference": "R3"}, racecourse={"country": "FR"})
    with pytest.raises(RacecourseDiffers):
        programme_import(by=organiser, data=moved, format="json")
    assert Meeting.objects.count() == 2


def test_several_racecourses_in_one_meeting(organiser: StaffActor) -> None:
    meeting = programme_import(by=organiser, data=programme_file(BOTH), format="json")
    courses = set(meeting.races.values_list("racecourse__code", flat=True))
    assert len(courses) == 2
    starts = [card.race.scheduled_start_at for card in meeting_cards(meeting)]
    assert starts == sorted(starts)


def test_only_the_organiser_imports_and_records_approval(organiser: StaffActor) -> None:
    for role in set(Role) - {Role.ORGANISER}:
        other = factories.staff(role)
        with pytest.raises(PowerMissing):
            programme_import(by=other, data=programme_file(SON_PARDO), format="json")
    meeting = programme_import(by=organiser, data=programme_file(SON_PARDO), format="json")
    with pytest.raises(PowerMissing):
        approve(factories.staff(Role.STEWARDS), meeting)


def approve(by: StaffActor, meeting: Meeting, **changes: Any) -> Any:
    arguments = {
        "approved_by": "Federació Balear de Trot",
        "reference": "FBT 1/2027",
        "approved_at": datetime(2026, 1, 2, 10, tzinfo=UTC),
    } | changes
    return approval_record(by=by, meeting=meeting, **arguments)


@pytest.mark.article("14.III.5.2")
def test_the_federation_approves_once_and_it_stays(organiser: StaffActor) -> None:
    meeting = programme_import(by=organiser, data=programme_file(SON_PARDO), format="json")
    approval = approve(organiser, meeting)
    assert approve(organiser, meeting).pk == approval.pk
    for other in ({"reference": "FBT 2/2027"}, {"approved_by": "Another"}):
        with pytest.raises(ApprovalRecorded):
            approve(organiser, meeting, **other)
    with pytest.raises(DatabaseError), transaction.atomic():
        type(approval).objects.filter(pk=approval.pk).update(reference="x")
    assert meeting_get(meeting.pk).approval.reference == "FBT 1/2027"


def test_an_approval_is_complete_and_of_the_past(organiser: StaffActor) -> None:
    meeting = programme_import(by=organiser, data=programme_file(SON_PARDO), format="json")
    for blank in ({"approved_by": " "}, {"reference": ""}):
        with pytest.raises(ApprovalIncomplete):
            approve(organiser, meeting, **blank)
    with pytest.raises(ApprovalAhead):
        approve(organiser, meeting, approved_at=clock.now() + timedelta(minutes=1))
    with pytest.raises(NaiveInstant):
        approve(organiser, meeting, approved_at=datetime(2026, 1, 2))
    assert not hasattr(meeting_get(meeting.pk), "approval")


@pytest.mark.article("14.III.5.2")
def test_a_programme_cannot_be_changed_in_place(organiser: StaffActor) -> None:
    meeting = programme_import(by=organiser, data=programme_file(SON_PARDO), format="json")
    approve(organiser, meeting)
    for rows in (Meeting.objects.all(), Race.objects.all(), Runner.objects.all()):
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(name="x")


def test_no_such_meeting() -> None:
    with pytest.raises(MeetingUnknown):
        meeting_get(10**12)


def test_a_card_shows_what_is_withdrawn_and_whom_its_bets_are_on() -> None:
    meeting = factories.meeting(numbers=(1, 2, 3, 4))
    race = meeting.races.order_by("number")[0]
    factories.withdrawal(race, 2)
    factories.withdrawal(race, 3, confirmed=False)
    card = meeting_cards(meeting)[0]
    assert [runner.trace for runner in card.runners] == [(1,), (2, 3, 4), (3, 4), (4,)]
    assert [runner.withdrawn for runner in card.runners] == [False, True, True, False]
    assert [runner.unconfirmed for runner in card.runners] == [False, False, True, False]

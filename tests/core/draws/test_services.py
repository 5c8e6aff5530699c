"""Announce draws, record who attends, and call them off; check the refusals [B16]."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.draws import conducting, documents, services
from core.draws.models import Announcement, Attendance, Draw, PlaceReason
from core.proofs.log import published
from core.staff.models import User
from core.staff.powers import Role
from core.staff.two_persons import SecondPersonTooNew
from tests.support import factories
from tests.support.urn import Hall, Urn, hall

pytestmark = pytest.mark.django_db
WAREHOUSE = "A warehouse"


def announced(room: Hall, place: str, minutes: float = 30) -> Announcement:
    planned_at = clock.now() + timedelta(minutes=minutes)
    return services.draw_reannounce(
        by=room.organiser, draw=room.draw.uuid, place=place, planned_at=planned_at
    )


@pytest.mark.article("14.III.5.4.2")
def test_a_draw_is_announced_at_the_central_office_midway_to_its_limit(room: Hall) -> None:
    announcement = services.announcement_of(room.draw)
    assert announcement.office is not None and announcement.place == factories.central_office()
    assert room.draw.due_at is not None
    limit = room.draw.due_at - announcement.announced_at
    assert announcement.planned_at == announcement.announced_at + limit / 2
    assert announcement.notice_s == 600


def test_a_draw_without_a_limit_or_past_it_is_announced_ten_minutes_ahead(monkeypatch: Any) -> None:
    for due_in in (None, timedelta(minutes=-5), timedelta(minutes=8)):
        room = hall(monkeypatch, Urn(due_in=due_in))
        announcement = services.announcement_of(room.draw)
        assert announcement.planned_at == announcement.announced_at + timedelta(minutes=10)
        services.draw_call_off(by=room.organiser, kind=room.kind, subject="urn:1", reason="Next")


@pytest.mark.article("14.III.5.4.2")
def test_it_is_announced_at_least_ten_minutes_ahead(room: Hall) -> None:
    office = factories.central_office()
    for minutes in (-1, 0, 9.9):
        with pytest.raises(services.NoticeTooShort) as refused:
            announced(room, office, minutes)
        assert "earliest_at" in refused.value.data
    assert announced(room, office, 10.1).office is not None
    with pytest.raises(services.PlaceNeeded):
        announced(room, " ")


def test_an_office_is_known_by_its_code_and_as_it_is_shown(room: Hall) -> None:
    first = services.announcement_of(room.draw).office
    assert first is not None
    for named in (first.code, f" {factories.central_office()} "):
        announcement = announced(room, named)
        assert (announcement.office, announcement.place) == (first, factories.central_office())
    assert announced(room, WAREHOUSE).office is None


@pytest.mark.article("14.III.5.4.2")
def test_nothing_begins_before_the_newest_announced_time(room: Hall) -> None:
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    factories.announced_time(room.draw)
    announced(room, factories.central_office(), 56)
    with pytest.raises(services.BeforeAnnounced):
        conducting.draw_commit(by=room.organiser, draw=room.draw.uuid, source="phrase")
    factories.announced_time(room.draw)
    services.place_justify(by=room.inspector, draw=room.draw.uuid, reason="No witness came")
    assert conducting.draw_commit(by=room.organiser, draw=room.draw.uuid, source="phrase")


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_elsewhere_only_with_the_reason_of_an_inspector_who_attends(room: Hall) -> None:
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    with pytest.raises(services.PlaceRegistered):
        services.place_justify(by=room.inspector, draw=room.draw.uuid, reason="Near")
    announced(room, WAREHOUSE)
    with pytest.raises(services.PlaceUnregistered):
        room.committed()
    with pytest.raises(services.ReasonNeeded):
        services.place_justify(by=room.inspector, draw=room.draw.uuid, reason=" ")
    with pytest.raises(services.InspectorAbsent):
        services.place_justify(
            by=factories.staff(Role.INSPECTOR), draw=room.draw.uuid, reason="Flood"
        )
    first = services.place_justify(by=room.inspector, draw=room.draw.uuid, reason="Flood")
    again = services.place_justify(by=room.inspector, draw=room.draw.uuid, reason="Other")
    assert again == first and PlaceReason.objects.count() == 1
    announced(room, "Another warehouse")
    with pytest.raises(services.PlaceUnregistered):
        room.committed()
    services.place_justify(by=room.inspector, draw=room.draw.uuid, reason="Fire")
    room.committed()
    announcements = room.enter() and room.certify() and _minutes(room)["announcements"]
    reasons = [each["elsewhere"] and each["elsewhere"]["reason"] for each in announcements]
    assert reasons == [None, "Flood", "Fire"]
    assert [each["office"] is None for each in announcements] == [False, True, True]


def _minutes(room: Hall) -> dict[str, Any]:
    entry = published(kind=documents.MINUTES, subject=str(room.draw.uuid))
    assert entry is not None
    return dict(entry.document)


@pytest.mark.article("14.III.5.4.4")
def test_the_person_who_announced_or_committed_is_not_its_inspector(room: Hall) -> None:
    """[B16]: also when their roles were changed meanwhile."""
    user = User.objects.create(
        username="both",
        full_name="Somebody",
        password="!",
        roles=["organiser"],
        appointment="Resolució 9",
        created_at=clock.now(),
    )
    room.organiser = factories.signed_on(user)
    announced(room, factories.central_office())
    User.objects.filter(pk=user.pk).update(roles=["inspector"])
    inspector = factories.signed_on(User.objects.get(pk=user.pk))
    with pytest.raises(services.NotApart):
        services.draw_attend(by=inspector, draw=room.draw.uuid)
    assert not Attendance.objects.exists()


def test_an_inspector_whose_account_is_new_attends_no_draw(room: Hall) -> None:
    user = User.objects.create(
        username="new",
        full_name="Somebody",
        password="!",
        roles=["inspector"],
        appointment="Resolució 9",
        created_at=clock.now(),
        second_from=clock.now() + timedelta(days=1),
    )
    new = factories.signed_on(user)
    with pytest.raises(SecondPersonTooNew):
        services.draw_attend(by=new, draw=room.draw.uuid)
    with pytest.raises(DatabaseError, match="account is not new"), transaction.atomic():
        Attendance.objects.create(
            draw=room.draw,
            inspector_id=new.user_id,
            session_id=new.session_id,
            attended_at=clock.now(),
            appointment=user.appointment,
        )


@pytest.mark.article("14.III.5.4.4")
def test_its_inspector_neither_announces_nor_commits(room: Hall) -> None:
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    factories.announced_time(room.draw)
    User.objects.filter(pk=room.inspector.user_id).update(roles=["organiser"])
    became = factories.signed_on(User.objects.get(pk=room.inspector.user_id))
    with pytest.raises(services.NotApart):
        services.draw_reannounce(
            by=became,
            draw=room.draw.uuid,
            place=factories.central_office(),
            planned_at=clock.now() + timedelta(hours=1),
        )
    with pytest.raises(services.NotApart):
        conducting.draw_commit(by=became, draw=room.draw.uuid, source="phrase")


def test_a_draw_called_off_stays_on_record_and_makes_room_for_another(room: Hall) -> None:
    arguments = {"by": room.organiser, "kind": room.kind, "subject": "urn:1", "reason": "Was run"}
    services.draw_call_off(**arguments)
    with pytest.raises(services.DrawOver):
        room.committed()
    assert services.draw_call_off(**arguments) is None
    again = services.draw_announce(by=room.organiser, kind=room.kind, subject="urn:1")
    assert again != room.draw
    room.draw = again
    room.committed()
    room.enter()
    room.certify()
    before = Draw.objects.exclude(pk=again.pk).get()
    assert _minutes(room)["called_off_before"] == [str(before.uuid)]
    assert published(kind=documents.CALLED_OFF, subject=str(before.uuid)) is not None


def test_from_the_commitment_on_a_draw_is_not_called_off(room: Hall) -> None:
    room.committed()
    with pytest.raises(services.DrawBegun):
        services.draw_call_off(
            by=room.organiser, kind=room.kind, subject="urn:1", reason="Another, please"
        )
    assert room.state() == "committed"

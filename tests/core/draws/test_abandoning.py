"""Abandon committed draws by inspector and organiser together [B16]."""

import uuid
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.draws import abandoning, documents, manual, method, services
from core.draws.models import Abandonment, Attendance, Draw
from core.proofs.log import published
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories
from tests.support.urn import Hall

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.4.4")]


def proposed(room: Hall, **changes: Any) -> Proposal:
    arguments = {"by": room.inspector, "draw": room.draw.uuid, "reason": "Power cut"} | changes
    return abandoning.abandonment_propose(**arguments)


def test_it_publishes_the_secret_and_announces_another_draw(room: Hall) -> None:
    commitment = room.committed(source="dice", pieces=12)
    proposal = proposed(room)
    assert room.state() == "committed"
    for _ in range(2):
        two_persons.confirm(proposal=proposal.uuid, by=room.organiser)
    assert room.state() == "abandoned"
    entry = published(kind=documents.ABANDONED, subject=str(room.draw.uuid))
    assert entry is not None
    secret = bytes.fromhex(entry.document["secret"])
    means = method.Means(method.Source.DICE, 12)
    field = method.field_digest(room.urn.entries)
    assert method.commitment(secret, str(room.draw.uuid), field, means) == bytes(commitment.digest)
    another = services.draw_of(kind=room.kind, subject="urn:1")
    assert another is not None and another != room.draw
    announcement = services.announcement_of(another)
    assert announcement.announced_by_id == room.organiser.user_id
    assert announcement.office is not None
    with pytest.raises(services.DrawOver):
        room.enter()
    room.draw = another
    room.committed()
    room.enter()
    room.certify()
    minutes = published(kind=documents.MINUTES, subject=str(another.uuid))
    assert minutes and minutes.document["abandoned_before"] == [entry.subject]
    assert minutes.document["called_off_before"] == []


def test_it_takes_the_attending_inspector_and_an_organiser(room: Hall) -> None:
    room.committed()
    with pytest.raises(PowerMissing):
        proposed(room, by=room.organiser)
    with pytest.raises(services.InspectorAbsent):
        proposed(room, by=factories.staff(Role.INSPECTOR))
    with pytest.raises(services.ReasonNeeded):
        proposed(room, reason=" ")
    with pytest.raises(services.DrawUnknown):
        proposed(room, draw=uuid.uuid4())
    proposal = proposed(room)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=room.inspector)
    with pytest.raises(PowerMissing):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.INSPECTOR))
    assert room.state() == "committed" and Draw.objects.count() == 1


def test_only_a_committed_draw_without_an_order_is_abandoned(room: Hall) -> None:
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    with pytest.raises(abandoning.NotCommitted):
        proposed(room)
    room.committed()
    proposal = proposed(room)
    room.enter()
    with pytest.raises(abandoning.NotCommitted):
        two_persons.confirm(proposal=proposal.uuid, by=room.organiser)
    assert room.state() == "drawn"
    room.certify()
    with pytest.raises(services.DrawOver):
        proposed(room)


def test_after_a_commitment_no_balls_count(room: Hall) -> None:
    """A power cut after the commitment: the balls drawn meanwhile are not entered."""
    room.committed()
    with pytest.raises(manual.OnlyComputed):
        manual.manual_propose(
            by=room.organiser,
            draw=room.draw.uuid,
            order=["5", "1", "8", "2", "3"],
            drawn_at=clock.now(),
            witness="Notary",
            cause="Tall de llum",
        )


def test_the_database_refuses_an_abandonment_that_is_none(room: Hall) -> None:
    room.committed()
    attendance = Attendance.objects.get()
    other = factories.proposal("draws.abandonment", "x")
    for secret, proposal in ((bytes(32), other), (b"", other)):
        with pytest.raises(DatabaseError), transaction.atomic():
            Abandonment.objects.create(
                draw=room.draw,
                reason="x",
                secret=secret,
                attendance=attendance,
                proposal=proposal,
                abandoned_at=clock.now(),
            )
    with pytest.raises(DatabaseError), transaction.atomic():
        Draw.objects.filter(pk=room.draw.pk).update(state="abandoned")
    with pytest.raises(DatabaseError), transaction.atomic():
        Draw.objects.filter(pk=room.draw.pk).update(state="called_off")

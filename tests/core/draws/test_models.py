"""Check that the database refuses steps of a draw that are out of order."""

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from core.database import clock
from core.draws import conducting, services
from core.draws.models import Attendance, Commitment, DrawCertificate, Outcome
from tests.support import factories
from tests.support.urn import Hall

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE draws_draw SET state = 'committed'",
        "UPDATE draws_draw SET state = 'drawn'",
        "UPDATE draws_draw SET subject = 'urn:2'",
        "INSERT INTO draws_attendance (draw_id, inspector_id, session_id, appointment, attended_at)"
        " SELECT d.id, s.user_id, s.id, 'none', now() FROM draws_draw d, staff_staffsession s",
        "INSERT INTO draws_commitment (draw_id, source, secret_kept, digest, committed_at,"
        " committed_by_id, committed_in_id) SELECT d.id, 'phrase', '', '', now(), s.user_id, s.id"
        " FROM draws_draw d, staff_staffsession s LIMIT 1",
        "INSERT INTO draws_announcement (draw_id, place, notice_s, planned_at, announced_at,"
        " announced_by_id, announced_in_id) SELECT draw_id, place, 600,"
        " announced_at + interval '599 s', announced_at, announced_by_id, announced_in_id"
        " FROM draws_announcement",
        "INSERT INTO draws_announcement (draw_id, office_id, place, notice_s, planned_at,"
        " announced_at, announced_by_id, announced_in_id) SELECT draw_id, p.id, a.place, 600,"
        " planned_at, announced_at, announced_by_id, announced_in_id FROM draws_announcement a,"
        " premises_premises p WHERE p.kind = 'establishment'",
    ],
)
def test_the_database_refuses_steps_that_did_not_happen(room: Hall, statement: str) -> None:
    factories.premises()
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"place": "Elsewhere"}, "newest announced place"),
        ({"secret": bytes(32)}, "committed to"),
        ({"source": "balls"}, "committed to"),
        ({"entropy": "3 1 6 1 4 2 5 3 6 4 1"}, "committed to"),
        ({"entered_by_id": None}, "an inspector who attends enters it"),
    ],
)
def test_the_database_refuses_an_order_that_is_not_as_committed_to(
    room: Hall, changes: dict[str, Any], why: str
) -> None:
    """[B16]"""
    commitment = room.committed(source="dice", pieces=10)
    true = {
        "draw": room.draw,
        "method": "computed",
        "witness": "A player",
        "source": "dice",
        "entropy_text": "3161425364",
        "entropy": "3 1 6 1 4 2 5 3 6 4",
        "secret": conducting.secret_of(room.draw, commitment),
        "order": list(room.urn.entries),
        "place": factories.central_office(),
        "drawn_at": clock.now(),
        "entered_at": clock.now(),
        "entered_by_id": room.inspector.user_id,
        "entered_in_id": room.inspector.session_id,
    }
    if "entered_by_id" in changes:
        changes = {"entered_by_id": room.organiser.user_id}
    with pytest.raises(DatabaseError, match=why), transaction.atomic():
        Outcome.objects.create(**true | changes)
    with transaction.atomic():
        Outcome.objects.create(**true)


def test_the_database_refuses_a_commitment_before_the_announced_time(room: Hall) -> None:
    """[B16]"""
    services.draw_attend(by=room.inspector, draw=room.draw.uuid)
    fields = {
        "draw": room.draw,
        "source": "phrase",
        "secret_kept": b"",
        "digest": bytes(32),
        "committed_by_id": room.organiser.user_id,
        "committed_in_id": room.organiser.session_id,
    }
    conducting.field_fix(room.draw)
    with pytest.raises(DatabaseError, match="announced time"), transaction.atomic():
        Commitment.objects.create(**fields, committed_at=clock.now())
    factories.announced_time(room.draw)
    Commitment.objects.create(**fields, committed_at=clock.now())


def test_the_database_refuses_a_second_order_and_a_stranger_s_certificate(room: Hall) -> None:
    room.committed()
    outcome = room.enter()
    again = {
        field.attname: getattr(outcome, field.attname)
        for field in Outcome._meta.concrete_fields
        if not field.primary_key
    }
    with pytest.raises(DatabaseError), transaction.atomic():
        Outcome.objects.create(**again | {"order": outcome.order[::-1]})
    with pytest.raises(DatabaseError), transaction.atomic():
        Outcome.objects.filter(pk=outcome.pk).update(order=outcome.order[::-1])
    with pytest.raises(DatabaseError), transaction.atomic():
        DrawCertificate.objects.create(
            draw=room.draw,
            attendance=Attendance.objects.get(),
            late=False,
            session_id=room.organiser.session_id,
            certified_at=clock.now(),
        )

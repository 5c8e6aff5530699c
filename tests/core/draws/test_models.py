"""Check that the database refuses steps of a draw that are out of order."""

from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from core.database import clock
from core.draws.models import Attendance, DrawCertificate, Outcome
from tests.support.urn import Hall, hall

pytestmark = pytest.mark.django_db


@pytest.fixture
def room(monkeypatch: Any) -> Hall:
    return hall(monkeypatch)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE draws_draw SET state = 'committed'",
        "UPDATE draws_draw SET state = 'drawn'",
        "UPDATE draws_draw SET subject = 'urn:2'",
        "INSERT INTO draws_attendance (draw_id, inspector_id, session_id, appointment, attended_at)"
        " SELECT d.id, s.user_id, s.id, 'none', now() FROM draws_draw d, staff_staffsession s",
        "INSERT INTO draws_commitment (draw_id, secret_kept, digest, committed_at, committed_by_id,"
        " committed_in_id) SELECT d.id, '', '', now(), s.user_id, s.id"
        " FROM draws_draw d, staff_staffsession s LIMIT 1",
    ],
)
def test_the_database_refuses_steps_that_did_not_happen(room: Hall, statement: str) -> None:
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


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

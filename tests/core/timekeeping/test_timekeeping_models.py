"""Check what the database refuses of readings and incidents of the clock."""

from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from core.timekeeping.models import Incident, Reading

pytestmark = pytest.mark.django_db


def incident(**changes: Any) -> Incident:
    values = {"cause": "references", "ahead_us": 5, "readings": [], "began_at": clock.now()}
    return Incident.objects.create(**values | changes)


def test_one_incident_at_a_time_and_it_is_only_ended() -> None:
    first = incident()
    with pytest.raises(IntegrityError, match="clock_incident_alone"), transaction.atomic():
        incident()
    Incident.objects.filter(pk=first.pk).update(ended_at=clock.now())
    second = incident()
    with pytest.raises(DatabaseError), transaction.atomic():
        Incident.objects.filter(pk=second.pk).update(ahead_us=0)
    with pytest.raises(IntegrityError, match="clock_incident_cause"), transaction.atomic():
        incident(cause="boredom", ended_at=clock.now())


def test_one_reading_for_each_reference() -> None:
    values = {"kind": "ntp", "name": "a", "ahead_us": 1, "measured_at": clock.now()}
    Reading.objects.create(**values, uncertainty_us=0)
    with pytest.raises(IntegrityError, match="clock_reading_once"), transaction.atomic():
        Reading.objects.create(**values, uncertainty_us=0)
    with pytest.raises(IntegrityError, match="clock_reading_uncertainty"), transaction.atomic():
        Reading.objects.create(**values | {"name": "b"}, uncertainty_us=-1)

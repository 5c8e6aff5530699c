"""Check what the database refuses of keys, of the simulated clock and of its watch."""

from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.db import DatabaseError, IntegrityError, models, transaction

from core.database import clock
from core.database.models import ClockOffset, ClockWatch, Guarded

pytestmark = pytest.mark.django_db


def watch(**changes: Any) -> ClockWatch:
    return ClockWatch.objects.create(
        **{"newest_at": clock.now(), "watched_at": clock.now()} | changes
    )


def test_an_offset_has_a_reason_and_never_changes() -> None:
    offset = ClockOffset.objects.create(offset=timedelta(), set_at=clock.now(), reason="test")
    with pytest.raises(DatabaseError), transaction.atomic():
        ClockOffset.objects.filter(pk=offset.pk).update(reason="another")
    with pytest.raises(IntegrityError, match="clock_offset_has_reason"), transaction.atomic():
        ClockOffset.objects.create(offset=timedelta(), set_at=clock.now(), reason="")


def test_there_is_one_watch_and_it_is_never_behind_by_less_than_nothing() -> None:
    watch()
    with pytest.raises(IntegrityError), transaction.atomic():
        watch()
    with pytest.raises(IntegrityError, match="clock_watch_alone"), transaction.atomic():
        watch(singleton=False)
    with pytest.raises(IntegrityError, match="clock_watch_behind"), transaction.atomic():
        ClockWatch.objects.update(behind=timedelta(seconds=-1))


def test_sales_ask_for_the_state_and_for_the_newest_act() -> None:
    assert not clock.is_unsound()
    watch()
    assert not clock.is_unsound()
    ClockWatch.objects.update(unsound=True, behind=timedelta(seconds=9))
    assert clock.is_unsound()
    assert clock.known_lag() == timedelta(seconds=9)
    ClockWatch.objects.update(unsound=False, newest_at=clock.now() + timedelta(minutes=1))
    assert clock.is_unsound()
    assert timedelta(seconds=50) < clock.known_lag() <= timedelta(minutes=1)


def test_no_key_lets_a_row_be_deleted_with_the_row_that_it_names() -> None:
    keys = [
        field
        for model in apps.get_models()
        if issubclass(model, Guarded)
        for field in model._meta.concrete_fields
        if isinstance(field, models.ForeignKey)
    ]
    assert keys
    assert [str(key) for key in keys if key.remote_field.on_delete is not models.PROTECT] == []

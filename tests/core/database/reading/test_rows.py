"""Check that instances read by a written statement are those that Django reads."""

import pytest
from django.db import models

from core.database.reading.rows import read_rows
from lototrot.models.programme import Race
from lototrot.models.running import Classification, RaceDeclaration, Withdrawal
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [Race, Withdrawal, Classification, RaceDeclaration])
def test_they_are_as_django_reads_them(model: type[models.Model]) -> None:
    first, second, third = factories.races_of(factories.contest(factories.meeting()))[:3]
    factories.withdrawal(first, 2)
    factories.withdrawal(first, 5)
    factories.classified(second, [1])
    factories.declared(third, "not_run")
    read = read_rows(model, "id > %s ORDER BY id DESC", [0])
    usual = list(model._default_manager.order_by("-pk"))
    assert read == usual and usual
    for ours, theirs in zip(read, usual, strict=True):
        for field in model._meta.concrete_fields:
            assert getattr(ours, field.attname) == getattr(theirs, field.attname)
        assert (ours._state.adding, ours._state.db) == (False, "default")


def test_none_is_none() -> None:
    assert read_rows(Race, "id = ANY(%s)", [[]]) == []

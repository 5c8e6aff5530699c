"""Sums of what left are written by the database alone."""

from functools import partial

import pytest
from django.db import DatabaseError, transaction

from core.statements.models import RetiredCommission, RetiredRemittances, RetiredStatements

pytestmark = pytest.mark.django_db


def test_the_program_writes_changes_and_deletes_none() -> None:
    premises = {"retired": 1, "premises": [1]}
    rows = (
        RetiredCommission(part=0, game="lototrot", commissions_cents=[7], **premises),
        RetiredRemittances(
            movements=[1], amounts_cents=[7], acts=[1], first_act=1, last_act=1, **premises
        ),
        RetiredStatements(
            part=0,
            statements=[1],
            last_numbers=[1],
            last_sundays=["2030-03-03"],
            closings_cents=[0],
            acts=[1],
            **premises,
        ),
    )
    for row in rows:
        with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
            row.save()
        written = row.__class__.objects.all()
        for act in (written.delete, partial(written.update, retired=2)):
            with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
                act()

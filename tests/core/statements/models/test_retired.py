"""Sums of what left are written by the database alone, and have an entry for each premises."""

from functools import partial

import pytest
from django.db import DatabaseError, transaction

from core.statements.models import RetiredCommission, RetiredRemittances, RetiredStatements
from tests.support.databases import Database, refused


@pytest.mark.django_db
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
            first_act=1,
            last_act=1,
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


def test_arrays_of_other_lengths_are_refused(own_database: Database) -> None:
    """A view would give premises without an amount, and an amount of no premises."""
    commission = "INSERT INTO statements_retiredcommission (retired, part, game, premises,"
    commission += " commissions_cents) VALUES (1, 0, 'lototrot', %s, %s)"
    payments = "INSERT INTO statements_retiredremittances (retired, premises, movements,"
    payments += " amounts_cents, acts, first_act, last_act) VALUES (1, '{7,8}', %s, %s, %s, 5, 6)"
    statements = "INSERT INTO statements_retiredstatements (retired, part, premises, statements,"
    statements += " last_numbers, last_sundays, closings_cents, acts, first_act, last_act)"
    statements += " VALUES (1, 0, '{7}', %s, %s, '{2030-03-31}', %s, '{3,4}', 3, 4)"
    many = "array_fill(7::bigint, ARRAY[65])"
    for statement, arrays in (
        (commission, ("'{7,8}'", "'{11}'")),
        (commission, ("'{7}'", "'{11,5}'")),
        (commission, ("'{7}'", "'{NULL}'")),
        (commission, ("'{}'", "'{}'")),
        (commission, (many, many)),
        (payments, ("'{1}'", "'{30,4}'", "'{5,6}'")),
        (payments, ("'{1,2}'", "'{30}'", "'{5,6}'")),
        (payments, ("'{1,2}'", "'{30,4}'", "'{5}'")),
        (statements, ("'{4,1}'", "'{4}'", "'{0}'")),
        (statements, ("'{4}'", "'{}'", "'{0}'")),
    ):
        refused(statement % arrays, "these are no sums of statements that left")

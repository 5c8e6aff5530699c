"""Refuse in the database a statement that does not follow the one before it."""

import uuid
from datetime import date
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.statements import services
from core.statements.models import Statement
from tests.support import factories, rounds
from tests.support.stating import SUNDAY, at

pytestmark = pytest.mark.django_db


def test_a_statement_cannot_be_out_of_line(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (statements,) = services.statements_issue(until=SUNDAY)
    good = {
        "uuid": uuid.uuid4(),
        "premises": place.premises,
        "number": 2,
        "week_from": date(2030, 3, 11),
        "week_to": date(2030, 3, 17),
        "opening_cents": 105,
        "sales_cents": 0,
        "annulments_cents": 0,
        "prizes_cents": 0,
        "commission_cents": 0,
        "settled_cents": 0,
        "other_cents": 0,
        "closing_cents": 105,
        "lines": [],
        "commission": [],
        "issued_at": statements.issued_at,
    }
    for wrong in (
        {"number": 3},
        {"week_from": date(2030, 3, 18), "week_to": date(2030, 3, 24)},
        {"opening_cents": 0, "closing_cents": 0},
        {"closing_cents": 106},
        {"week_to": date(2030, 3, 18)},
        {"week_from": date(2030, 3, 12), "week_to": date(2030, 3, 18)},
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            Statement.objects.create(**{**good, **wrong})
    with pytest.raises(DatabaseError), transaction.atomic():
        Statement.objects.filter(pk=statements.pk).update(sales_cents=0)
    Statement.objects.create(**good)

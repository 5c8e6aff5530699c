"""Refuse in the database a statement that does not follow the one before it."""

import uuid
from datetime import date
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.statements import services
from core.statements.models import Remittance, Statement
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


def test_statement_and_payment_name_premises_that_are_there(organiser: Any, contest: Any) -> None:
    """No foreign key says so, for it would lock the premises with each statement."""
    place, other = factories.point(), factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (issued,) = services.statements_issue(until=SUNDAY)
    first = Statement.objects.get(pk=issued.pk)
    first.pk, first.uuid, first.premises_id = None, uuid.uuid4(), 1_000_000
    payment = {
        "amount_cents": 105,
        "paid_on": date(2030, 3, 11),
        "recorded_at": issued.issued_at,
        "recorded_by_id": organiser.user_id,
        "recorded_in_id": organiser.session_id,
    }
    with pytest.raises(IntegrityError, match="there are no premises 1000000"), transaction.atomic():
        first.save(force_insert=True)
    for statement, premises in ((issued.pk, other.premises.pk), (0, place.premises.pk)):
        with pytest.raises(IntegrityError, match="have no statement"), transaction.atomic():
            Remittance.objects.create(
                uuid=uuid.uuid4(),
                statement_id=statement,
                premises_id=premises,
                reference="TRF",
                **payment,
            )

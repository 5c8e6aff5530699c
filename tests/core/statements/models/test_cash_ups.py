"""The database refuses a count that does not add up, or that is below nothing."""

from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.statements.models import CashUp
from tests.support import factories
from tests.support.factories.request_uuids import uuid_at

pytestmark = pytest.mark.django_db


def cash_up(point: factories.Point, **changes: Any) -> CashUp:
    now = clock.now()
    figures = {
        "sales_cents": 500,
        "annulments_cents": -100,
        "prizes_cents": -50,
        "other_cents": 0,
        "expected_cents": 350,
        "float_cents": 0,
        "counted_cents": 350,
    }
    with transaction.atomic():
        return CashUp.objects.create(
            uuid=uuid_at(now),
            terminal=point.terminal,
            operator=point.operator,
            number=1,
            since=now,
            closed_at=now,
            lines=[],
            snapshot="1:1:",
            **figures | changes,
        )


@pytest.mark.parametrize(
    ("name", "cents", "by"),
    [
        ("expected_cents", 351, "cash_up_adds_up"),
        ("counted_cents", -1, "cash_up_counted"),
        ("float_cents", -1, "cash_up_counted"),
    ],
)
def test_a_count_that_does_not_add_up_is_refused(name: str, cents: int, by: str) -> None:
    point = factories.point()
    with pytest.raises(IntegrityError, match=by):
        cash_up(point, **{name: cents})
    assert cash_up(point).expected_cents == 350
    with pytest.raises(IntegrityError, match="cash_up_number"):
        cash_up(point)

"""A closed period is a month, never changed, and holds no empty balance."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.periods.models import ClosedPeriod, PeriodBalance
from lototrot.models.contest import Contest
from tests.core.periods.conftest import closed


def test_a_closed_period_stays_as_it_is(contest: Contest) -> None:
    closed()
    period = ClosedPeriod.objects.get()
    assert str(period) == "2030-03"
    assert str(period.balances.order_by("pk")[0]).startswith("2030-03 · ")
    for change in ({"last_batch": 7}, {"document": {}}):
        with pytest.raises(DatabaseError), transaction.atomic():
            ClosedPeriod.objects.update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        PeriodBalance.objects.all().delete()


def test_a_balance_of_nothing_has_no_row(contest: Contest) -> None:
    closed()
    period = ClosedPeriod.objects.get()
    with pytest.raises(IntegrityError, match="period_balance_stands"), transaction.atomic():
        PeriodBalance.objects.create(
            period=period, account_id=contest.takings_account_id, balance_cents=0
        )

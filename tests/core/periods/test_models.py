"""A closed period is a month, never changed, and holds no empty balance."""

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database.reading.asking import fetch_value
from core.ledger.blocks import ACCOUNTS
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


def test_a_month_ends_with_its_last_day(contest: Contest) -> None:
    """Its end decides which transfers are late, and until when balances are archived."""
    closed()
    asked = """
        SELECT staff_proposes(p, jsonb_populate_record(t, jsonb_build_object(
                   'ends_at', t.ends_at - interval '1 second' * %s)))
          FROM periods_closedperiod t JOIN staff_proposal p ON p.id = t.proposal_id"""
    assert [fetch_value(asked, [seconds]) for seconds in (0, 1, -86_400)] == [True, False, False]


def test_a_block_without_balances_or_with_one_of_no_account_is_refused(contest: Contest) -> None:
    closed()
    period = ClosedPeriod.objects.get()
    held = period.cents_by_account()
    assert sum(held.values()) == 0
    assert held
    others = [[0] * ACCOUNTS, [5] * ACCOUNTS, [5], [5] * (ACCOUNTS + 1)]
    for balances_cents in others:
        with pytest.raises(IntegrityError, match="not the figures"), transaction.atomic():
            PeriodBalance.objects.create(period=period, block=9, balances_cents=balances_cents)

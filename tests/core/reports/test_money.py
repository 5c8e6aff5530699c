"""Report prizes and the organiser's share of both games."""

from typing import Any

import pytest

from core.ledger import services as ledger
from lototrot import accounts
from tests.support.reporting import Season, rows

pytestmark = pytest.mark.django_db


def test_prizes_and_the_organisers_share_are_the_settlements(by: Any, season: Season) -> None:
    won = rows(by, "prizes-won", season)
    settlements = [contest.settlements.get() for contest in season.contests]
    assert sum(r["total_cents"] for r in won) == sum(s.prizes_cents for s in settlements)
    assert {r["tier"] for r in won} == {"2/2", "1/2"}
    shares = rows(by, "organiser-share", season)
    assert [r["takings_cents"] for r in shares] == [900, 1000]
    for row, part in (
        ("tax_cents", accounts.Part.TAX),
        ("commission_cents", accounts.Part.COMMISSION),
    ):
        assert sum(r[row] for r in shares) == ledger.balance_cents(accounts.organiser(part))
    for row in shares:
        parts = ("commission_cents", "management_cents", "tax_cents", "remainder_cents")
        assert sum(row[part] for part in parts) == row["share_cents"]
        assert row["takings_cents"] == row["prizes_cents"] + row["share_cents"]

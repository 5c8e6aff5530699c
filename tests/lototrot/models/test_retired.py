"""The sums of tickets that left are the database's, and no others."""

from pathlib import Path

import pytest
from django.db import DatabaseError, transaction

from core.journal import rules
from core.journal.verifying import Fault
from core.periods.models import ClosedPeriod
from lototrot import journal_rules
from lototrot.models.retired import RetiredMarks, RetiredSales
from lototrot.services.settlement.auditing import audit_contests
from tests.core.periods.archive.conftest import own_month as own_month
from tests.core.periods.archive.test_retiring import forge, row_findings
from tests.lototrot.services.tickets.test_retired import TICKETS, retired
from tests.support.journaling import seal_all


def test_other_sums_than_left_are_found(own_month: ClosedPeriod, tmp_path: Path) -> None:
    retired(own_month, tmp_path)
    seal_all()
    with pytest.raises(DatabaseError, match="permission denied"), transaction.atomic():
        RetiredSales.objects.update(amount_cents=1)
    forge("lototrot_retiredsales", "UPDATE lototrot_retiredsales SET amount_cents = 50")
    assert {each.check for each in audit_contests().findings} >= {"takings_cents"}
    assert row_findings() == [(Fault.ROW_CHANGED, "lototrot_retiredsales")]
    forge("lototrot_retiredsales", "UPDATE lototrot_retiredsales SET amount_cents = 300")
    assert audit_contests().findings == []
    _prizes()
    marks = RetiredMarks.objects.values_list("leg", "number", "bets").order_by("leg")
    assert sum(bets for leg, _, bets in marks if leg == 1) == 3
    assert _broken() == set()
    forge(
        "lototrot_retiredmarks",
        "UPDATE lototrot_retiredmarks SET bets = bets + leg - 1",
    )
    assert _broken() == {"periods_retiredrows"}
    forge("lototrot_retiredmarks", "UPDATE lototrot_retiredmarks SET bets = bets - leg + 1")
    forge(
        "periods_retiredrows",
        f"UPDATE periods_retiredrows SET leaves = 0 WHERE relation = '{TICKETS}'",
    )
    assert _broken() == {"periods_retiredrows"}


def _prizes() -> None:
    """A cent more, a bet more in a category, or a ticket more is found by the audit."""
    for more, less in (
        ("prize_cents = prize_cents + 1", "prize_cents = prize_cents - 1"),
        ("winning_bets[1] = winning_bets[1] + 1", "winning_bets[1] = winning_bets[1] - 1"),
        ("tickets = tickets + 1", "tickets = tickets - 1"),
        ("day = day + 1", "day = day - 1"),
    ):
        forge("lototrot_retiredprizes", f"UPDATE lototrot_retiredprizes SET {more}")
        assert audit_contests().findings
        assert row_findings() == [(Fault.ROW_CHANGED, "lototrot_retiredprizes")]
        forge("lototrot_retiredprizes", f"UPDATE lototrot_retiredprizes SET {less}")
    assert audit_contests().findings == [] and row_findings() == []


def _broken() -> set[str]:
    return {name for name, _, _ in rules.broken(journal_rules.LEFT)}

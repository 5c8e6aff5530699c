"""The night counts the newest closed month again and an older one in turn."""

import pytest

from core.database import clock
from core.journal import rules
from core.kernel.days import add_days, natural_day
from core.nights.models import JobRun
from core.periods import journal_rules, nightly
from tests.core.periods.conftest import closed, late_transfer, march_ended
from tests.support.databases import Database
from tests.support.journaling import forge


def test_months_are_counted_again_in_turn_and_what_was_changed_is_named(
    own_database: Database,
) -> None:
    today = natural_day(clock.now())
    assert nightly.audit(today).counts == {"periods": 0}
    contest = march_ended()
    closed()
    closed()
    today, now = natural_day(clock.now()), clock.now()
    turns = []
    for night in range(3):
        day = add_days(today, night)
        counts = dict(nightly.audit(day).counts)
        turns.append((counts["turn"], counts["periods"]))
        JobRun.objects.create(
            job=nightly.AUDIT, day=day, state="done", started_at=now, ended_at=now, counts=counts
        )
    assert turns == [(1, 2), (2, 1), (1, 2)]
    assert nightly.audit_everything().counts == {"periods": 2}
    assert [row for rule in journal_rules.RULES for row in rules.broken(rule)] == []
    late_transfer(contest)
    assert [table for table, _, _ in rules.broken(journal_rules.LATE)] == ["ledger_transfer"]
    forge("UPDATE lototrot_seal SET tickets = tickets + 1")
    nightly.audit(add_days(today, 3))  # April's turn
    with pytest.raises(nightly.PeriodsDiffer) as refusal:
        nightly.audit_everything()
    (march,) = refusal.value.data["found"]
    assert march["first_day"] == "2030-03-01"
    assert march["differ"] == ["balances", "parts", "transfers", "stored_balances"]

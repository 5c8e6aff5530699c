"""Check that every table is bound to the acts that write it."""

import json
from typing import Any

import pytest
from django.db import connection

from core.database.guards import guarded_models
from core.journal import rules
from core.journal.install import journaled

UNBOUND = {
    "database_clockwatch": "how the clock was found last; incidents are the record",
    "database_keymark": "of a key that a process brought; who has another one does not start",
    "journal_change": "of the act whose number it has, by a trigger",
    "journal_batch": "seals acts, and is chained and signed itself",
    "journal_block": "of a batch, whose digest covers it",
    "journal_source": "of the act that used its name first, by the same function",
    "journal_rowform": "of a block, whose digest covers it",
    "lototrot_racecourse": "a name and a place that mean no act; its act says who",
    "proofs_receiver": "how far a copy of the log was brought",
    "timekeeping_reading": "what a reference said last",
}


def test_every_table_is_in_a_rule_or_says_why_not() -> None:
    tables = {model._meta.db_table for model in guarded_models()}
    tables |= {table.name for table in journaled()}
    bound = {rule.table for rule in rules.rules()}
    assert tables - bound == set(UNBOUND)
    assert bound <= tables


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    ["lototrot_ticket.sold", "promotrot_playticket.sold", "payoffice_payment.with_payoffice_claim"],
)
def test_a_part_of_the_journal_is_verified_without_reading_the_past(name: str) -> None:
    """Else every night reads all acts, transfers and claims there ever were."""
    (rule,) = [each for each in rules.rules() if each.name == name]
    cut = f"SELECT * FROM ({rule.query}) b (relation, row_id, xid) WHERE xid >= 7 AND xid < 8"
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_bitmapscan = off")
        cursor.execute(f"EXPLAIN (FORMAT JSON) {cut}")
        row = cursor.fetchone()[0]
    (plan,) = row if isinstance(row, list) else json.loads(row)
    scans = list(_scans(plan["Plan"]))
    assert len(scans) >= 2
    assert [scan["Relation Name"] for scan in scans if "Index Cond" not in scan] == []


def _scans(plan: dict[str, Any]) -> list[dict[str, Any]]:
    below = [scan for each in plan.get("Plans", []) for scan in _scans(each)]
    return [plan, *below] if "Relation Name" in plan else below

"""Check that every table is bound to the acts that write it."""

from core.database.guards import guarded_models
from core.journal import rules
from core.journal.install import journaled

UNBOUND = {
    "database_clockwatch": "how the clock was found last; incidents are the record",
    "journal_change": "of the act whose number it has, by a trigger",
    "journal_batch": "seals acts, and is chained and signed itself",
    "journal_block": "of a batch, whose digest covers it",
    "journal_rowform": "of a block, whose digest covers it",
    "lototrot_racecourse": "a name and a place that mean no act; its act says who",
    "nights_jobrun": "how far the runner of the nights has come",
    "proofs_receiver": "how far a copy of the log was brought",
    "timekeeping_reading": "what a reference said last",
}


def test_every_table_is_in_a_rule_or_says_why_not() -> None:
    tables = {model._meta.db_table for model in guarded_models()}
    tables |= {table.name for table in journaled()}
    bound = {rule.table for rule in rules.rules()}
    assert tables - bound == set(UNBOUND)
    assert bound <= tables

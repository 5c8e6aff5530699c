"""Tie a decision to its proposer, and each session named in an act to its own person."""

from django.db import migrations

FOREIGN_KEYS = [
    (
        "staff_decision",
        "decision_of_proposer",
        "(proposal_id, proposed_by_id, proposed_in_id)",
        "staff_proposal (id, proposed_by_id, proposed_in_id)",
    ),
    (
        "staff_decision",
        "decided_in_own_session",
        "(decided_in_id, decided_by_id)",
        "staff_staffsession (id, user_id)",
    ),
    (
        "staff_proposal",
        "proposed_in_own_session",
        "(proposed_in_id, proposed_by_id)",
        "staff_staffsession (id, user_id)",
    ),
]


class Migration(migrations.Migration):
    dependencies = [("staff", "0001_initial")]
    operations = [
        migrations.RunSQL(
            f"ALTER TABLE {table} ADD CONSTRAINT {name} FOREIGN KEY {columns} REFERENCES {target}",
            f"ALTER TABLE {table} DROP CONSTRAINT {name}",
        )
        for table, name, columns, target in FOREIGN_KEYS
    ]

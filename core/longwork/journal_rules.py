"""List the rules between long work and the acts that wrote it."""

from core.journal.binding import stamped, with_rows
from core.journal.rules import Rule

RULES: tuple[Rule, ...] = (
    stamped("longwork_longwork", "asked_at", user="asked_by_id", session="asked_in_id"),
    with_rows(
        "longwork_filepart",
        (
            "journal_change",
            "o.relation = 'longwork_longwork' AND o.row_id = t.work_id"
            " AND o.after ->> 'state' = 'done'",
        ),
        name="longwork_filepart.of_its_end",
    ),
)

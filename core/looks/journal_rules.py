"""List the rules between looks and the acts in which they were recorded."""

from core.journal.binding import stamped
from core.journal.rules import Rule

DOOR = Rule(
    "look_through_its_door",
    "it names another door than its act, or nobody",
    "looks_look",
    """
    SELECT 'looks_look', t.id, t.journal_xid
      FROM looks_look t LEFT JOIN journal_act a ON a.journal_xid = t.journal_xid
      LEFT JOIN journal_source s ON s.id = a.source_id
     WHERE t.door = '' OR t.door IS DISTINCT FROM s.name
        OR t.user_id IS DISTINCT FROM a.user_id OR t.terminal_id IS DISTINCT FROM a.terminal_id
    """,
)

RULES: tuple[Rule, ...] = (
    DOOR,
    stamped(
        "looks_look",
        "at",
        user="user_id",
        session="session_id",
        terminal="terminal_id",
        operator="operator_id",
    ),
)

"""List the rules between the rows of the nights and the acts that wrote them."""

from core.journal.binding import stamped
from core.journal.rules import Rule

# A job is done once. So who calls the audits of years to come done would end them.
AHEAD = Rule(
    "nights_jobrun.over",
    "its day was not over",
    "nights_jobrun",
    """
    SELECT 'nights_jobrun', t.id, t.journal_xid
      FROM nights_jobrun t JOIN journal_act a ON a.journal_xid = t.journal_xid
     WHERE t.day >= (a.at AT TIME ZONE 'Europe/Madrid')::date
    """,
)
RULES: tuple[Rule, ...] = (AHEAD, stamped("nights_jobfailure", "failed_at"))

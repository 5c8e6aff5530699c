"""List the rules between the rows of reports and the acts that wrote them."""

from core.journal.binding import stamped
from core.journal.rules import Rule

RULES: tuple[Rule, ...] = (
    stamped("reports_reportorder", "ordered_at", user="owner_id", session="ordered_in_id"),
    stamped("reports_reportmail", "begun_at"),
    stamped("reports_savedview", "saved_at", user="owner_id", session="saved_in_id"),
)

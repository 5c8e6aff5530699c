"""List the rules between the incidents of the clock and the acts that wrote them."""

from core.journal.binding import stamped
from core.journal.rules import Rule

RULES: tuple[Rule, ...] = (stamped("timekeeping_incident", "began_at"),)

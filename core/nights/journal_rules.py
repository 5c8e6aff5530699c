"""List the rules between the rows of the nights and the acts that wrote them."""

from core.journal.binding import stamped
from core.journal.rules import Rule

RULES: tuple[Rule, ...] = (stamped("nights_jobfailure", "failed_at"),)

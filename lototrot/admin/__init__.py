from lototrot.admin import words  # first: it names the fields that the pages show

# isort: split
from lototrot.admin import contests, programme, rules, running, settling, tickets

__all__ = ["contests", "programme", "rules", "running", "settling", "tickets", "words"]

from lototrot.admin import words  # first: it names the fields that the pages show

# isort: split
from lototrot.admin import (
    contests,
    desk,
    programme,
    refusals,
    rules,
    running,
    sealing,
    settling,
    tickets,
)

__all__ = [
    "contests",
    "desk",
    "programme",
    "refusals",
    "rules",
    "running",
    "sealing",
    "settling",
    "tickets",
    "words",
]

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
]

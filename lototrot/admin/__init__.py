from lototrot.admin import (
    authority,
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
    "authority",
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

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
    unprinted,
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
    "unprinted",
]

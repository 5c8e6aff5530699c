from lototrot.admin import (
    authority,
    bet_types,
    contests,
    desk,
    programme,
    refusals,
    running,
    sealing,
    settling,
    ticket_models,
    tickets,
    unprinted,
)

__all__ = [
    "authority",
    "bet_types",
    "contests",
    "desk",
    "programme",
    "refusals",
    "running",
    "sealing",
    "settling",
    "ticket_models",
    "tickets",
    "unprinted",
]

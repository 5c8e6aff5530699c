"""Collect the pages of Lototrot's administration, which Django finds here."""

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
from lototrot.admin.paddock import racecourse

__all__ = [
    "authority",
    "bet_types",
    "contests",
    "desk",
    "programme",
    "racecourse",
    "refusals",
    "running",
    "sealing",
    "settling",
    "ticket_models",
    "tickets",
    "unprinted",
]

"""Collect the models of Lototrot, which Django finds here."""

from lototrot.models import (
    authority,
    contest,
    preparing,
    programme,
    retired,
    running,
    sealing,
    settlement,
    stops,
    tickets,
)

__all__ = [
    "authority",
    "contest",
    "preparing",
    "programme",
    "retired",
    "running",
    "sealing",
    "settlement",
    "stops",
    "tickets",
]

from lototrot.models import (
    authority,
    contest,
    preparing,
    programme,
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
    "running",
    "sealing",
    "settlement",
    "stops",
    "tickets",
]

from lototrot.models import (
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
    "contest",
    "preparing",
    "programme",
    "running",
    "sealing",
    "settlement",
    "stops",
    "tickets",
]

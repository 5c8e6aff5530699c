"""Return the figures of the regulation's own bet type, with the amendments on record [A19]."""

import json
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Any

from core.kernel.bet_type_figures import BetTypeFigures
from core.kernel.canonical import Json, canonical_bytes
from core.kernel.regulation import Schedule, shipped
from lototrot.models.authority import FiguresAmendment


def schedule() -> Schedule:
    """Return the versions of the regulation: those of the data file, and the amendments."""
    rows = FiguresAmendment.objects.order_by("in_force_from")
    amendments: list[Json] = [
        changes(row.in_force_from.isoformat(), row.source, row.bet_type) for row in rows
    ]
    return _amended(canonical_bytes(amendments))


def changes(in_force_from: str, source: str, bet_type: Mapping[str, Any]) -> dict[str, Any]:
    """Return an amendment of the bet type in the form of `Schedule.amended`."""
    return {
        "in_force_from": in_force_from,
        "source": source,
        "lototrot": {"bet_type": dict(bet_type)},
    }


def bet_type_figures(day: date) -> BetTypeFigures:
    """Return the figures of the regulation's bet type that are in force on a day."""
    return schedule().in_force(day).lototrot.bet_type


@lru_cache(maxsize=8)
def _amended(amendments: bytes) -> Schedule:
    amended = shipped()
    for amendment in json.loads(amendments):
        amended = amended.amended(amendment)
    return amended

"""Seconds until ten million tickets are on sale, with their prizes committed to.

Emissions are opened in the transaction that the service makes: the key, the order of the blocks,
the lanes, the state. No ticket has a row yet.
"""

import secrets
import statistics
import time

from django.db import transaction
from django.db.models import Sum

from tests.bench.store import Figures, Store
from tests.support import emitting

TICKETS = 10_000_000
TIERS = (
    {"cash_cents": 2_000_00, "count": 100},
    {"cash_cents": 1_000_00, "count": 1_000},
    {"cash_cents": 100_00, "count": 10_000},
    {"cash_cents": 1_00, "count": 400_000},
    {"cash_cents": 50, "count": 2_200_000},
)


def measure(store: Store) -> Figures:
    """Return `emission.open_10m_s`, the median in seconds, and `emission.rows`, its lanes."""
    game = emitting.approved(_ten_million())
    seconds = []
    for _ in range(store.size.pairs):
        emission = emitting.witnessed(emitting.committed(emitting.planned(game)))
        began = time.perf_counter()
        with transaction.atomic():
            emission = emitting.open_now(emission)
        seconds.append(time.perf_counter() - began)
        if emission.lanes.aggregate(all=Sum("tickets"))["all"] != TICKETS:
            raise RuntimeError("the lanes do not hold every ticket")
    return {
        "emission.open_10m_s": statistics.median(seconds),
        "emission.rows": float(emission.lanes.count()),
    }


def _ten_million() -> dict[str, object]:
    """Return a pre-drawn game of ten million tickets at 0.50, dealt in a thousand blocks.

    Every block holds the declared percentage, so no prize is larger than a block allows.
    """
    definition = emitting.small(f"ten-million-{secrets.token_hex(3)}")
    winning = definition["presentation"]["signs"][: len(TIERS)]
    return definition | {
        "tickets": TICKETS,
        "block_tickets": 10_000,
        "price_cents": 50,
        "prize_percent": "74",
        "tiers": [*TIERS],
        "presentation": definition["presentation"] | {"winning": winning},
    }

"""Order a chain: the meetings of one bet type, which pass money on to the next [A4, A20]."""

import zlib
from datetime import datetime

from django.db.models import Q

from core.database.locks import Lock
from core.kernel.days import natural_day
from lototrot.models.contest import Contest

State = Contest.State


def chain_lock(bet_type_code: str) -> tuple[Lock, int]:
    """Return the lock of a chain. It lets one meeting at a time change what passes to the next."""
    return Lock.CHAIN, zlib.crc32(bet_type_code.encode())


def holds_chain(now: datetime) -> Q:
    """Return the condition of a contest that later meetings of its chain wait for [A4, A20].

    A contest that was on sale holds the chain until its payment is ordered; a draft until it is
    discarded, or the day on which it could open is past. Its closing may be after midnight [B15].
    """
    begun = Q(state__in=[*Contest.UNCLOSED, State.CLOSED, State.SETTLED])
    may_open = Q(day__gte=natural_day(now)) | Q(scheduled_close_at__gt=now)
    return begun | Q(may_open, state=State.DRAFT)

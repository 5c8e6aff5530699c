"""Make and read the UUIDs of requests: version 7 of RFC 9562, which begins with the time.

The client makes a request's UUID before the first attempt. The time in it lets the system refuse a
UUID of long ago without keeping all UUIDs for ever, and brings new keys to the end of an index.
"""

import datetime
import uuid

from core.kernel.errors import Conflict, Invalid

AHEAD = datetime.timedelta(minutes=5)
"""The time of a UUID may be this much ahead of the system's clock: a terminal that is set by
network time differs by less, and one that is not sees the system's time in every answer."""
OLDEST = datetime.timedelta(days=3)
"""The UUID of a new act may be this old. A premises without a line from Friday evening to Monday
morning can still send what it kept. A retry of an act that was done has no such limit."""
RETIRED_AFTER = datetime.timedelta(days=7)
"""A month is retired this long after its end at the earliest: longer than `OLDEST`, `AHEAD` and the
day that a proposed payment may wait for its second person. So no act that left is done again."""
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MILLISECOND = datetime.timedelta(milliseconds=1)
_MICROSECOND = datetime.timedelta(microseconds=1)
RANDOM_BITS = 62


class RequestUuidVersion(Invalid):
    code = "request_uuid_version"
    message = "The UUID of a request is one of version 7 (RFC 9562)."


class RequestUuidFromTheFuture(Conflict):
    code = "request_uuid_from_the_future"
    message = (
        "The time in the UUID is ahead of the system's clock. Every answer has that clock's time in"
        " X-Server-Time: make a new UUID with it."
    )


class RequestUuidTooOld(Conflict):
    code = "request_uuid_too_old"
    message = (
        "The UUID was made too long ago for a new act. Every answer has the time of the system's"
        " clock in X-Server-Time: make a new UUID with it."
    )


class RequestArchived(Conflict):
    code = "request_archived"
    message = (
        "The time in the UUID lies in a month whose sales have left. The archive of that month"
        " tells what became of the request."
    )


REFUSALS = (RequestUuidVersion, RequestUuidFromTheFuture, RequestUuidTooOld)
"""The refusals of a new act's UUID. A request that was carried out is answered first."""


def request_uuid(at: datetime.datetime, random_bits: int) -> uuid.UUID:
    """Return the UUID of a request that is made at an instant, with 62 random bits.

    The 12 bits after the milliseconds hold the microseconds as a fraction of a millisecond (RFC
    9562, 6.2, method 3), so UUIDs of one clock are in order to the microsecond.
    """
    milliseconds, rest = divmod(at - _EPOCH, _MILLISECOND)
    fraction = (rest // _MICROSECOND << 12) // 1000
    bits = milliseconds << 80 | 7 << 76 | fraction << 64 | 2 << 62 | random_bits
    return uuid.UUID(int=bits)


def derived_uuid(base: uuid.UUID, name: str) -> uuid.UUID:
    """Return the UUID that follows from another one and a name: always the same, of version 8.

    It is that of version 5 with a first byte of zeros. So it stands before every UUID of version 7
    in an index, and new ones of these come last: a page that is not last is split in the middle.
    Only one byte is given up, for who sells chooses `base`, and no two may lead to the same.
    """
    bits = uuid.uuid5(base, name).int & (1 << 120) - 1
    return uuid.UUID(int=bits & ~(0xF << 76) | 8 << 76)

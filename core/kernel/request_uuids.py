"""Make and read the UUIDs of requests: version 7 of RFC 9562, which begins with the time.

Who sends a request makes its UUID before the first attempt. The time in it lets the system refuse a
UUID of long ago without keeping all UUIDs for ever, and brings new keys to the end of an index.
"""

import datetime
import uuid

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_MILLISECOND = datetime.timedelta(milliseconds=1)
_MICROSECOND = datetime.timedelta(microseconds=1)
RANDOM_BITS = 62


def request_uuid(at: datetime.datetime, random_bits: int) -> uuid.UUID:
    """Return the UUID of a request that is made at an instant, with 62 random bits.

    The 12 bits after the milliseconds hold the microseconds as a fraction of a millisecond (RFC
    9562, 6.2, method 3), so UUIDs of one clock are in order to the microsecond.
    """
    milliseconds, rest = divmod(at - _EPOCH, _MILLISECOND)
    fraction = (rest // _MICROSECOND << 12) // 1000
    bits = milliseconds << 80 | 7 << 76 | fraction << 64 | 2 << 62 | random_bits
    return uuid.UUID(int=bits)


def made_at(ident: uuid.UUID) -> datetime.datetime:
    """Return the instant in a UUID of version 7, to the millisecond."""
    return _EPOCH + (ident.int >> 80) * _MILLISECOND

"""Make UUIDs of requests in tests, by the clock that the test's system has."""

import secrets
import uuid
from datetime import UTC, datetime, timedelta

from core.database import clock
from core.kernel import request_uuids

V7 = (
    "encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send("
    "floor(extract(epoch FROM core_now()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),"
    " 52, 1), 53, 1), 'hex')::uuid"
)
"""SQL of a new UUID of a request, by the system's clock."""


class SystemClock:
    """The system's clock, as far from this machine's as it was when this object was made.

    It asks the database once, for who sells thousands of times, or while servers are ended.
    """

    def __init__(self) -> None:
        self._ahead = clock.now() - datetime.now(UTC)

    def request_uuid(self) -> uuid.UUID:
        """Return the UUID of a request that is made now."""
        return uuid_at(datetime.now(UTC) + self._ahead)


def uuid_at(instant: datetime) -> uuid.UUID:
    """Return the UUID of a request that is made at an instant."""
    bits = secrets.randbits(request_uuids.RANDOM_BITS)
    return request_uuids.request_uuid(instant, bits)


def made_at(ident: uuid.UUID) -> datetime:
    """Return the instant in a UUID of version 7, to the millisecond."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ident.int >> 80)

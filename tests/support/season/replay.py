"""Give the system its random numbers from a season's seed, so that the same seed is the same year.

Seeds of emissions, outcomes of plays, secrets of draws and all UUIDs then follow from it. Those of
requests have a time: that of the hour, which two runs of one season have in common; those that the
system makes have its time, to the microsecond. Other processes, and the database, keep their own
random numbers; nothing that a season decides depends on them, nor on these times.
"""

import base64
import secrets
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from unittest import mock

from core.database import clock
from tests.support.factories.request_uuids import uuid_at


@contextmanager
def random_from(rng: Random) -> Iterator[None]:
    """Draw from `rng` inside the block whatever this process asks `secrets` or `uuid4` for."""

    def token_bytes(size: int | None = None) -> bytes:
        return rng.randbytes(32 if size is None else size)

    def token_hex(size: int | None = None) -> str:
        return token_bytes(size).hex()

    def token_urlsafe(size: int | None = None) -> str:
        return base64.urlsafe_b64encode(token_bytes(size)).rstrip(b"=").decode()

    def uuid4() -> uuid.UUID:
        return uuid.UUID(bytes=rng.randbytes(16), version=4)

    with ExitStack() as patches:
        for name, function in (
            ("token_bytes", token_bytes),
            ("token_hex", token_hex),
            ("token_urlsafe", token_urlsafe),
            ("randbelow", rng.randrange),
            ("randbits", rng.getrandbits),
        ):
            patches.enter_context(mock.patch.object(secrets, name, function))
        patches.enter_context(mock.patch.object(uuid, "uuid4", uuid4))
        yield


def request_uuid() -> uuid.UUID:
    """Return the UUID of a request of this hour."""
    return uuid_at(clock.now().replace(minute=0, second=0, microsecond=0))

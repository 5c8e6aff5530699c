"""Limit what strangers may ask for: take units of a rate, or be refused with the time to wait."""

import functools
import hashlib
import math
import time

from django.conf import settings

from core.kernel.errors import Unavailable
from core.traffic.rates import Claim, Rate, Refusal
from core.traffic.shared import Shared

_PLACES = 1 << 18
_REFUSED_FOR_S, _REFUSED_MOST = 1.0, 10_000
_refused: dict[str, float] = {}


class Throttled(Unavailable):
    """Too many requests. `wait` is the number of seconds to wait, as the header Retry-After."""

    code = "throttled"
    message = "Too many requests; wait a little."

    def __init__(self, wait_s: float = 1.0) -> None:
        super().__init__()
        self.wait = max(1, math.ceil(wait_s))


def place_of(kind: str, who: str) -> str:
    """Return the key of an address, account or device: one of 2^18, by a keyed digest.

    Who it is stays unknown to the store. Nobody can fill the store, nor choose a place to meet
    another in.
    """
    digest = hashlib.blake2b(
        f"{kind}:{who}".encode(), key=settings.SECRET_KEY.encode()[:64], digest_size=8
    ).digest()
    return f"{kind}:{int.from_bytes(digest) % _PLACES:x}"


def claim(kind: str, who: str, rate: Rate, units: float = 1.0) -> Claim:
    """Return a claim on the rate of one of a kind: an address, an account, a device."""
    return Claim(place_of(kind, who), rate, units)


def claim_of_row(kind: str, pk: int, rate: Rate, units: float = 1.0) -> Claim:
    """Return a claim on the rate of a row of a register, such as a terminal.

    The rows are known and few: each has a place of its own, which no other row can use up.
    """
    return Claim(f"{kind}:row:{pk}", rate, units)


def take(*claims: Claim) -> None:
    """Take all claims or none. Raises Throttled."""
    wait_s = refused_s(*(one.key for one in claims))
    if wait_s > 0:
        raise Throttled(wait_s)
    refusal = store().take(claims)
    if refusal is not None:
        refuse(refusal)
        raise Throttled(refusal.wait_s)


def refused_s(*keys: str) -> float:
    """Return for how long one of the keys is refused without being counted; 0 or less for none."""
    return max(_refused.get(key, 0.0) for key in keys) - time.monotonic()


def refuse(refusal: Refusal) -> None:
    """Refuse a key for a moment without counting, so that a flood costs little."""
    if len(_refused) >= _REFUSED_MOST:
        _refused.clear()
    _refused[refusal.key] = time.monotonic() + min(refusal.wait_s, _REFUSED_FOR_S)


def give_back(*claims: Claim) -> None:
    """Undo the taking of claims."""
    store().give_back(claims)


@functools.cache
def store() -> Shared:
    """Return the store of this process."""
    return Shared(settings.LIMITS_URL, processes=settings.LIMITS_PROCESSES)


def clear() -> None:
    """Forget what this process counts for itself. For tests."""
    _refused.clear()
    store().clear()

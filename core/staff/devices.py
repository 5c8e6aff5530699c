"""Recognise the devices on which a person has signed on before, with the second factor.

After such a sign-on the client is given a token to keep. With it, the tries of strangers do not
count: it has tries of its own. The token signs nobody on and opens nothing.
"""

import dataclasses
import hashlib
import secrets

from django.core import signing

from core.staff.models import User
from core.traffic.limits import claim
from core.traffic.rates import Claim, Rate

KEPT_S = 400 * 24 * 3600
COOKIE_PREFIX = "device_"
_SALT = "staff.device"
TRIES = Rate(per_s=1 / 60, burst=10)


@dataclasses.dataclass(frozen=True, slots=True)
class Origin:
    """The address from which somebody signs on, and the device token that their client keeps."""

    address: str
    device: str = ""


CONSOLE = Origin("console")


def device_token(user: User) -> str:
    """Return a new token for a device on which this person has just given the second factor."""
    return signing.dumps([user.pk, secrets.token_hex(8)], salt=_SALT)


def read(token: str) -> tuple[int, str]:
    """Return the owner of a device, and its name. Raises signing.BadSignature."""
    owner, device = signing.loads(token, salt=_SALT, max_age=KEPT_S)
    return owner, device


def tries_of(origin: Origin, user: User | None) -> Claim | None:
    """Return a claim on the tries of a device that is this person's; None for any other."""
    if user is None or not origin.device:
        return None
    try:
        owner, device = read(origin.device)
    except signing.BadSignature:
        return None
    return claim("device", f"{device}:{user.password[-8:]}", TRIES) if owner == user.pk else None


def cookie_name(username: str) -> str:
    """Return the name of the cookie in which a browser keeps this person's device token."""
    return COOKIE_PREFIX + hashlib.sha256(username.encode()).hexdigest()[:16]

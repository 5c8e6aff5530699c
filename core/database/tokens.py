"""Make bearer tokens, and the keyed digests under which the database knows them.

The key is one of `TOKEN_KEYS`, which the database does not have: who holds a copy of it can neither
use a token nor try one. A token begins with the version of its key, so that keys can be replaced
while older tokens are in use.
"""

import hmac
import secrets
from typing import Final

from django.conf import settings

TOKEN_BYTES: Final = 32
DIGEST_BYTES: Final = 32


def token_make(length: int = TOKEN_BYTES) -> str:
    """Return a new token: the version of the key, and `length` random bytes in base64."""
    version, _ = settings.TOKEN_KEYS
    return f"{version}{secrets.token_urlsafe(length)}"


def token_digest(token: str) -> bytes:
    """Return the keyed digest of a token: 32 bytes."""
    return keyed_digest(b"token", token)


def keyed_digest(purpose: bytes, token: str) -> bytes:
    """Return HMAC-SHA256 of `token` for one purpose, under the key that its first character names.

    A token that names no known key gets a digest under the current one, which no row has.
    """
    current, keys = settings.TOKEN_KEYS
    key = keys.get(token[:1]) or keys[current]
    return hmac.digest(key, b"trot " + purpose + b"\0" + token.encode(), "sha256")

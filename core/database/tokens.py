"""Make bearer tokens, and the keyed digests under which the database knows them.

The key is one of `TOKEN_KEYS`, outside the database: a person with a copy of it can neither
use a token nor try one. A token begins with the version of its key, so that keys can be replaced
while older tokens are in use.
"""

import hashlib
import secrets
from typing import Final

from django.conf import settings

from core.kernel.codes import ALPHABET

DIGEST_BYTES: Final = 32


def token_make() -> str:
    """Return a new token: the version of the key, and 32 random bytes in base64."""
    version, _ = settings.TOKEN_KEYS
    return f"{version}{secrets.token_urlsafe(32)}"


def token_to_type() -> str:
    """Return a new token that people type and any scanner reads: the version of the key, and 23
    capital letters and digits, which are 115 random bits.
    """
    version, _ = settings.TOKEN_KEYS
    return f"{version}{''.join(secrets.choice(ALPHABET) for _ in range(23))}"


def token_digest(token: str) -> bytes:
    """Return the keyed digest of a token: 32 bytes."""
    return keyed_digest(b"token", token)


def keyed_digest(purpose: bytes, token: str) -> bytes:
    """Return keyed BLAKE2b (RFC 7693) of `token` for one purpose of up to 16 bytes: 32 bytes.

    The first character of the token names the key. A token that names no known key gets a digest
    under the current one, which no row has. A sale makes two digests; HMAC would take twice as
    long.
    """
    current, keys = settings.TOKEN_KEYS
    key = keys.get(token[:1]) or keys[current]
    digest = hashlib.blake2b(token.encode(), key=key, digest_size=DIGEST_BYTES, person=purpose)
    return digest.digest()

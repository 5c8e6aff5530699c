"""Encrypt what must not be readable in the database or its backups, under a key kept elsewhere.

AES-256-GCM under a key derived from `DATA_KEYS` for one purpose. The `context` (a row's own id) is
authenticated with the content and needed again to read it, so that the content cannot be moved to
another row.
"""

import secrets
from functools import cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

from core.kernel.errors import InvariantBroken

_NONCE_BYTES = 12
_HEAD_BYTES = 1 + _NONCE_BYTES


class ContentUnreadable(InvariantBroken):
    code = "vault_unreadable"
    message = "Encrypted content cannot be read: it was changed or moved, or its key is missing."


def encrypt(purpose: str, content: bytes, *, context: bytes) -> bytes:
    """Encrypt `content` under the current key: version (1 byte), nonce (12), ciphertext and tag."""
    version, _ = settings.DATA_KEYS
    nonce = secrets.token_bytes(_NONCE_BYTES)
    head = version.encode()
    return head + nonce + _cipher(version, purpose).encrypt(nonce, content, head + context)


def decrypt(purpose: str, encrypted: bytes, *, context: bytes) -> bytes:
    """Return the content that `encrypt` was given, under any key of `DATA_KEYS`.

    Raises ContentUnreadable if the bytes or the context differ, or the key is missing.
    """
    head, nonce, body = encrypted[:1], encrypted[1:_HEAD_BYTES], encrypted[_HEAD_BYTES:]
    try:
        return _cipher(head.decode(), purpose).decrypt(nonce, body, head + context)
    except (InvalidTag, KeyError, ValueError) as error:
        raise ContentUnreadable(purpose=purpose) from error


@cache
def _cipher(version: str, purpose: str) -> AESGCM:
    _, keys = settings.DATA_KEYS
    derived = HKDF(SHA256(), 32, salt=None, info=f"lototrot:{purpose}".encode())
    return AESGCM(derived.derive(keys[version]))

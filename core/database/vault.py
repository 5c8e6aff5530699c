"""What must not be readable in the database or its backups: encrypted under a key kept elsewhere.

AES-256-GCM under a key made of `DATA_KEYS` for one purpose. What is bound to it as its
`context` (a row's own id) must be given again to read it: it cannot be moved to another row.
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


class VaultUnreadable(InvariantBroken):
    code = "vault_unreadable"
    message = "What is kept encrypted cannot be read: changed, moved, or its key is not here."


def encrypt(purpose: str, content: bytes, *, context: bytes) -> bytes:
    """`content` under the current key: version (1 byte), nonce (12), ciphertext and tag."""
    version, _ = settings.DATA_KEYS
    nonce = secrets.token_bytes(_NONCE_BYTES)
    head = version.encode()
    return head + nonce + _cipher(version, purpose).encrypt(nonce, content, head + context)


def decrypt(purpose: str, kept: bytes, *, context: bytes) -> bytes:
    """What `encrypt` was given, under whichever key it was. Raises VaultUnreadable."""
    head, nonce, body = kept[:1], kept[1 : 1 + _NONCE_BYTES], kept[1 + _NONCE_BYTES :]
    try:
        return _cipher(head.decode(), purpose).decrypt(nonce, body, head + context)
    except (InvalidTag, KeyError, ValueError) as error:
        raise VaultUnreadable(purpose=purpose) from error


@cache
def _cipher(version: str, purpose: str) -> AESGCM:
    _, keys = settings.DATA_KEYS
    derived = HKDF(SHA256(), 32, salt=None, info=f"lototrot:{purpose}".encode())
    return AESGCM(derived.derive(keys[version]))

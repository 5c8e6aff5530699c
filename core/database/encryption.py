"""Encrypt what must not be readable in the database or its backups, under a key kept elsewhere.

AES-256-GCM under a key derived from `DATA_KEYS` for one column of one table. Table, column and the
key of the row are authenticated with the content and needed again to read it, so that the content
cannot be moved to another row.
"""

import secrets
from dataclasses import dataclass
from functools import cache

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db.models import Model

from core.kernel.errors import InvariantBroken

_NONCE_BYTES = 12
_HEAD_BYTES = 1 + _NONCE_BYTES


class ContentUnreadable(InvariantBroken):
    code = "content_unreadable"
    message = "Encrypted content cannot be read: it was changed or moved, or its key is missing."


@dataclass(frozen=True, slots=True)
class Cell:
    """One column of one row. `key` names the row for ever: its UUID, or another unique value.

    `ring` is the setting with the keys.
    """

    model: type[Model]
    column: str
    key: object
    ring: str = "DATA_KEYS"

    @property
    def place(self) -> str:
        """Return table and column."""
        return f"{self.model._meta.db_table}.{self.column}"


def encrypt(cell: Cell, content: bytes) -> bytes:
    """Encrypt `content` under the current key: version (1 byte), nonce (12), ciphertext and tag."""
    version: str = getattr(settings, cell.ring)[0]
    nonce = secrets.token_bytes(_NONCE_BYTES)
    head = version.encode()
    cipher = _cipher(cell.ring, version, cell.place)
    return head + nonce + cipher.encrypt(nonce, content, _bound(head, cell))


def decrypt(cell: Cell, encrypted: bytes) -> bytes:
    """Return the content that `encrypt` was given, under any key of its ring.

    Raises ContentUnreadable if the bytes or the cell differ, or the key is missing.
    """
    head, nonce, body = encrypted[:1], encrypted[1:_HEAD_BYTES], encrypted[_HEAD_BYTES:]
    try:
        cipher = _cipher(cell.ring, head.decode(), cell.place)
        return cipher.decrypt(nonce, body, _bound(head, cell))
    except (InvalidTag, KeyError, ValueError) as error:
        raise ContentUnreadable(place=cell.place) from error


def _bound(head: bytes, cell: Cell) -> bytes:
    return head + f"{cell.place}\0{cell.key}".encode()


@cache
def _cipher(ring: str, version: str, place: str) -> AESGCM:
    _, keys = getattr(settings, ring)
    derived = HKDF(SHA256(), 32, salt=None, info=f"lototrot:{place}".encode())
    return AESGCM(derived.derive(keys[version]))

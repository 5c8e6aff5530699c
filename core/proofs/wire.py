"""Define the form of an entry of the public log, as it is signed (docs/proofs/log.md)."""

import datetime
import hashlib

from core.kernel.canonical import Json

FORMAT = "trot-log-1"
NOTHING_BEFORE = bytes(32)


def body(
    *,
    sequence: int,
    previous: bytes,
    at: datetime.datetime,
    kind: str,
    subject: str,
    document: dict[str, Json],
    key_id: str,
) -> dict[str, Json]:
    """Return all fields of an entry but its signature."""
    return {
        "format": FORMAT,
        "sequence": sequence,
        "previous": previous.hex(),
        "at": instant(at),
        "kind": kind,
        "subject": subject,
        "document": document,
        "key": key_id,
    }


def instant(at: datetime.datetime) -> str:
    """Return an instant in UTC, to the microsecond: `2030-03-02T11:00:00.000000Z`."""
    utc = at.astimezone(datetime.UTC)
    return utc.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z"


def key_id(public_key: bytes) -> str:
    """Return the name of a public key: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(public_key).hexdigest()[:16]

"""Append to the public log, a signed chain of the system's commitments (docs/proofs/log.md).

`publish` writes inside the caller's transaction, so that an entry and the facts that it states are
committed together or not at all. Appends wait for one another to the end of the transaction, so a
service publishes last.
"""

from typing import Any

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.canonical import Json, canonical_bytes, canonical_sha256
from core.kernel.errors import InvariantBroken
from core.proofs import keys, wire
from core.proofs.models import LogEntry, SigningKey

KEY, KEY_IN_USE = "proofs.key", "proofs.key_in_use"


class PublishedOtherwise(InvariantBroken):
    code = "published_otherwise"
    message = "Another document is already published about that subject, and it stays."


class EntryUnsound(InvariantBroken):
    code = "entry_unsound"
    message = "An entry of the public log is not as it was signed."


def publish(*, kind: str, subject: str, document: dict[str, Any]) -> LogEntry:
    """Append a signed entry; return the existing one if the same was published already.

    `kind` is `game.thing`, `subject` names what the entry is about. A kind and a subject have one
    entry for ever: another document for both raises PublishedOtherwise. The document is what
    `canonical_bytes` takes (no float). Raises NotCanonical, keys.SigningKeyMissing; needs a
    transaction.
    """
    hold((Lock.LOG, 0))
    earlier = published(kind=kind, subject=subject)
    if earlier is None:
        return _append(kind, subject, document, key_in_force())
    if canonical_sha256(earlier.document) != canonical_sha256(document):
        raise PublishedOtherwise(kind=kind, subject=subject, sequence=earlier.sequence)
    return earlier


def published(*, kind: str, subject: str) -> LogEntry | None:
    """Return the entry of that kind about that subject; None if there is none."""
    return LogEntry.objects.select_related("key").filter(kind=kind, subject=subject).first()


def need_sound(entry: LogEntry) -> None:
    """Raise EntryUnsound unless the entry, as it is stored, is the one that was signed.

    A public key in the database proves nothing by itself. An entry counts if the private half of
    its key is held here, or if the chain leads from it to a later entry under such a key. For a
    process that is not told which keys are ours, that is the key in force on record: who runs it
    compares it with the published one.
    """
    _need_signed(entry)
    later = LogEntry.objects.select_related("key").filter(sequence__gt=entry.sequence)
    following = later.order_by("sequence").iterator()
    while not keys.is_ours(entry.key):
        after = next(following, None)
        if after is None or bytes(after.previous) != bytes(entry.digest):
            raise EntryUnsound(sequence=entry.sequence)
        _need_signed(after)
        entry = after


def _need_signed(entry: LogEntry) -> None:
    body, key = entry.body(), entry.key
    last = key.until_sequence
    if last is not None and key.ended_by != SigningKey.Ended.ROTATION:
        last -= 1  # the replacement of a lost or stolen key is under the new one
    if entry.sequence < key.first_sequence or (last is not None and entry.sequence > last):
        raise EntryUnsound(sequence=entry.sequence)
    has_digest = canonical_sha256(body) == bytes(entry.digest)
    if not has_digest or not keys.signed(entry.key, canonical_bytes(body), bytes(entry.signature)):
        raise EntryUnsound(sequence=entry.sequence)


@transaction.atomic
def key_rotate(*, reason: SigningKey.Ended) -> SigningKey:
    """Put the current key of SIGNING_KEYS into force, and return it. The log records it for ever.

    The old key signs the entry. After its loss or compromise the new one does, and people must be
    told the new key by other ways (docs/operations/keys.md). Raises KeyInForce, SigningKeyMissing.
    """
    hold((Lock.LOG, 0))
    old = key_in_force()
    if SigningKey.objects.filter(public_key=keys.current_public()).exists():
        raise keys.KeyInForce
    at, sequence = clock.now(), _next_sequence()
    SigningKey.objects.filter(pk=old.pk).update(
        in_force=False, valid_until=at, until_sequence=sequence, ended_by=reason
    )
    return _introduce(old, reason)


def key_in_force() -> SigningKey:
    """Return the key in force; the first call of all publishes the first key. Needs a
    transaction.
    """
    key = SigningKey.objects.filter(in_force=True).first()
    if key is None:
        hold((Lock.LOG, 0))
        key = SigningKey.objects.filter(in_force=True).first()
    return key or _introduce(None, None)


def _introduce(old: SigningKey | None, reason: SigningKey.Ended | None) -> SigningKey:
    public = keys.current_public()
    new = SigningKey.objects.create(
        key_id=wire.key_id(public),
        public_key=public,
        valid_from=clock.now(),
        first_sequence=_next_sequence(),
    )
    document: dict[str, Json] = {
        "format": "trot-key-1",
        "key": new.key_id,
        "public_key": public.hex(),
        "replaces": old.key_id if old else None,
        "reason": str(reason) if reason else "first",
    }
    signer = old if old and reason == SigningKey.Ended.ROTATION else new
    _append(KEY, new.key_id, document, signer)
    if signer is old:  # the chain must lead to an entry under the new key at once
        use: dict[str, Json] = {"format": "trot-key-use-1", "key": new.key_id}
        _append(KEY_IN_USE, new.key_id, use, new)
    return new


def _next_sequence() -> int:
    last = LogEntry.objects.order_by("-sequence").values_list("sequence", flat=True).first()
    return (last or 0) + 1


def _append(kind: str, subject: str, document: dict[str, Any], key: SigningKey) -> LogEntry:
    last = LogEntry.objects.order_by("-sequence").first()
    entry = LogEntry(
        sequence=last.sequence + 1 if last else 1,
        at=clock.now(),
        kind=kind,
        subject=subject,
        document=document,
        key=key,
        previous=last.digest if last else wire.NOTHING_BEFORE,
    )
    message = canonical_bytes(entry.body())
    entry.digest = canonical_sha256(entry.body())
    entry.signature = keys.sign(key, message)
    entry.save(force_insert=True)
    return entry

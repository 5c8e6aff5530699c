"""Sign the public log with Ed25519 keys. The private keys stay outside the database.

`settings.SIGNING_KEYS` holds the private keys by version, in the process of `manage.py signer`
where there is one (`settings.SIGNER`). The database records which public key is in force. The
replacement of a key is an entry of the log. The old key signs it while it can sign. So a client
that trusted the old key can follow to the new one.
"""

from functools import cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings

from core.kernel.errors import Conflict, Unavailable
from core.kernel.holding import HELD, PUBLISHING
from core.proofs import signer, wire
from core.proofs.models import SigningKey


class SigningKeyMissing(Unavailable):
    code = "signing_key_missing"
    message = (
        "SIGNING_KEYS has no private key for the public key in force; see docs/operations/keys.md."
    )


class KeyInForce(Conflict):
    code = "key_in_force"
    message = "The current key of SIGNING_KEYS was used before. Make a new one."


@cache
def _private(seed: bytes) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(seed)


@cache
def public_of(seed: bytes) -> bytes:
    """Return the public key (32 bytes) of a private one (32 bytes, the seed of RFC 8032)."""
    return _private(seed).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def current_public() -> bytes:
    """Return the public key of the version that SIGNING_KEYS calls current, here or at the signer.

    Raises SigningKeyMissing if the signer does not answer.
    """
    if settings.SIGNER:
        return _asked()[0]
    version, seeds = settings.SIGNING_KEYS
    return public_of(seeds[version])


def are_known() -> bool:
    """Return whether this process is told which keys are ours: it has them, or asks the signer.

    What publishes must be told. The audits of a practised restore are not: that machine may hold
    no signing key, and has no signer.
    """
    is_told = "SIGNING_KEYS" in HELD[settings.PROCESS] or settings.PROCESS in PUBLISHING
    return bool(settings.SIGNER) or is_told


def held_public() -> frozenset[bytes]:
    """Return the public keys of all versions, here or at the signer. Raises SigningKeyMissing."""
    if settings.SIGNER:
        return _asked()[1]
    _, seeds = settings.SIGNING_KEYS
    return frozenset(public_of(seed) for seed in seeds.values())


def is_ours(key: SigningKey) -> bool:
    """Return whether we can sign with that key, so that no other key must vouch for it.

    A process that is not told which keys are ours takes the one in force on record for it.
    """
    return bytes(key.public_key) in held_public() if are_known() else key.in_force


def sign(key: SigningKey, message: bytes) -> bytes:
    """Return the signature of the message (64 bytes). Raises SigningKeyMissing."""
    public = bytes(key.public_key)
    try:
        signature = (
            signer.signature(public, message) if settings.SIGNER else sign_here(public, message)
        )
    except signer.SignerAway as error:
        raise SigningKeyMissing(key=wire.key_id(public)) from error
    if signature is None:
        raise SigningKeyMissing(key=wire.key_id(public))
    return signature


def sign_here(public: bytes, message: bytes) -> bytes | None:
    """Return the signature by a key that this process holds; None if it does not."""
    _, seeds = settings.SIGNING_KEYS
    for seed in seeds.values():
        if public_of(seed) == public:
            return _private(seed).sign(message)
    return None


def _asked() -> tuple[bytes, frozenset[bytes]]:
    try:
        return signer.public_keys()
    except signer.SignerAway as error:
        raise SigningKeyMissing from error


def signed(key: SigningKey, message: bytes, signature: bytes) -> bool:
    """Return whether the signature of `message` was made with that key."""
    try:
        Ed25519PublicKey.from_public_bytes(bytes(key.public_key)).verify(signature, message)
    except InvalidSignature:
        return False
    return True

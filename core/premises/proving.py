"""Check that a request is signed by the key that its terminal made when it enrolled.

The private key never leaves the machine that made it (`extractable: false` in a browser), so a copy
of only the token cannot sign on, roll the token or choose a PIN. Signing every request would cost
a sale more than 5 % of its time (ADR 28); so the key proves itself where a new token is given, and
tokens are short (`services.TOKEN_LENGTH`).
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Final, cast

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from django.db import connection, transaction

from core.kernel.errors import Conflict, Invalid, Unauthenticated
from core.premises.access import BareTerminal, TerminalCopied, TerminalRevoked, TerminalUnknown
from core.premises.models import Terminal, TerminalCopy

FORMAT: Final = "lototrot-terminal-proof-1"
_RAW_BYTES: Final = 64
_LEAST_BYTES: Final = 8
_LONGEST: Final = 200
_NUMBERS: Final = 2**53


class KeyUnfit(Invalid):
    code = "key_unfit"
    message = "The public key must be of the curve P-256, as base64url of SubjectPublicKeyInfo."


class ProofMissing(Unauthenticated):
    code = "proof_missing"
    message = "The request must be signed with the key of the terminal."


class ProofRefused(Unauthenticated):
    code = "proof_refused"
    message = "The signature is not by this terminal's key; the terminal must be enrolled again."


class ProofUsed(Conflict):
    code = "proof_used"
    message = "A proof of that number, or of a later one, was used; sign with a larger number."


@dataclass(frozen=True, slots=True)
class Proof:
    """A number that this terminal has not used, and a signature over it and over the request."""

    number: int
    signature: bytes

    @classmethod
    def of(cls, header: str) -> "Proof":
        """Read `<number>.<base64url of the signature>`. Raises ProofMissing."""
        number, _, signature = header.partition(".")
        numeric = number.isascii() and number.isdecimal() and len(number) <= len(str(_NUMBERS))
        if not numeric or int(number) >= _NUMBERS:
            raise ProofMissing
        try:
            proof = cls(int(number), from_base64url(signature))
        except ValueError as error:
            raise ProofMissing from error
        if len(proof.signature) < _LEAST_BYTES:
            raise ProofMissing
        return proof


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """The parts of a request that a proof covers. `path` has no query; `body` is as sent."""

    method: str
    path: str
    token: str
    body: bytes

    def statement(self, number: int) -> bytes:
        """Return the text that the terminal signs, in UTF-8 and without a final line break."""
        digest = hashlib.sha256(self.body).hexdigest()
        lines = (FORMAT, self.method, self.path, str(number), self.token, digest)
        return "\n".join(lines).encode()


def from_base64url(text: str) -> bytes:
    """Return the bytes of base64url text, with or without padding. Raises ValueError."""
    if len(text) > _LONGEST or not text.isascii():
        raise ValueError("too long, or not base64url")
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64url") from error


def public_key_read(text: str) -> bytes:
    """Return a P-256 public key in DER from base64url. Raises KeyUnfit."""
    try:
        key = serialization.load_der_public_key(from_base64url(text))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyUnfit from error
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, ec.SECP256R1):
        raise KeyUnfit
    return key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def signed_by(public_key: bytes, signature: bytes, statement: bytes) -> bool:
    """Return whether the signature (ECDSA with SHA-256) is by the key.

    It is r and s of 32 bytes each, as WebCrypto signs, or DER, as OpenSSL does.
    """
    if len(signature) == _RAW_BYTES:
        half = _RAW_BYTES // 2
        r, s = (int.from_bytes(part) for part in (signature[:half], signature[half:]))
        signature = encode_dss_signature(r, s)
    key = cast("ec.EllipticCurvePublicKey", serialization.load_der_public_key(public_key))
    try:
        key.verify(signature, statement, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


def terminal_named(*, code: str, request: SignedRequest, proof: Proof) -> BareTerminal:
    """Return the terminal of that code if its key signed the request, whatever the token is.

    A database that was restored to an earlier time does not know the token that it gave since. The
    code is no secret: where another key signed, nothing is closed. Raises TerminalUnknown,
    TerminalRevoked, TerminalCopied.
    """
    row = Terminal.objects.select_related("premises").filter(code=code).first()
    if row is None or row.public_key is None:
        raise TerminalUnknown
    if not signed_by(bytes(row.public_key), proof.signature, request.statement(proof.number)):
        raise TerminalUnknown
    if row.revoked_at is not None:
        raise TerminalRevoked
    if row.copied_at is not None:
        raise TerminalCopied
    return BareTerminal(row.pk, row.premises_id, row.premises.kind, named=True)


def terminal_prove(*, terminal: int, request: SignedRequest, proof: Proof) -> bytes:
    """Check a proof by the key of the terminal, use its number up, and return the key.

    A signature by another key shows that the token was copied: the terminal is closed until it
    is enrolled again. Raises ProofRefused, and ProofUsed for a number that is not larger than all
    before it, so that a proof is good once.
    """
    key = _taken(terminal, request, proof)
    if key is None:
        raise ProofRefused
    return key


@transaction.atomic
def _taken(terminal: int, request: SignedRequest, proof: Proof) -> bytes | None:
    """Return the key if the proof is right. The consequences of a wrong one are committed."""
    row = Terminal.objects.select_for_update(no_key=True).get(pk=terminal)
    if row.public_key is None:
        return None
    key = bytes(row.public_key)
    if not signed_by(key, proof.signature, request.statement(proof.number)):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT premises_copy_seen(p_terminal => %s, p_sign => %s)",
                [terminal, TerminalCopy.Sign.WRONG_KEY.value],
            )
        return None
    if proof.number <= row.proof_number:
        raise ProofUsed(last=row.proof_number)
    Terminal.objects.filter(pk=terminal).update(proof_number=proof.number)
    return key

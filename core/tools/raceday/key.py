"""Make the key of a terminal as docs/api.md says: it signs the requests for tokens."""

import base64
import hashlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

PROOF_HEADER = "X-Terminal-Proof"


def base64url(content: bytes) -> str:
    """Return base64url text without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class TerminalKey:
    """A new P-256 key pair, and the number of its last proof."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.number = 0

    @property
    def public(self) -> str:
        """Return the public key as the enrolment takes it."""
        key = self._key.public_key()
        der = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        return base64url(key.public_bytes(*der))

    def prove(self, path: str, token: str, body: bytes) -> dict[str, str]:
        """Return the header that proves a `POST`, under a number that was not used before."""
        self.number += 1
        digest = hashlib.sha256(body).hexdigest()
        lines = ("lototrot-terminal-proof-1", "POST", path, str(self.number), token, digest)
        signature = self._key.sign("\n".join(lines).encode(), ec.ECDSA(hashes.SHA256()))
        return {PROOF_HEADER: f"{self.number}.{base64url(signature)}"}

"""Ask the signer for a signature: no other process holds private keys of the public log.

It is a process of its own (`core.proofs.signing_process`), at a socket of the machine whose file
the setting SIGNER names. Only processes that may open that file can ask. A request is one line of
JSON, and so is its answer.
"""

import json
import socket
from typing import Any, Final

from django.conf import settings

TIMEOUT_S: Final = 5
MOST_BYTES: Final = 64 * 1024 * 1024  # a batch of the journal is one message


class SignerAway(Exception):
    """The signer does not answer, or it does not hold the key."""


def ask(request: dict[str, str]) -> dict[str, Any]:
    """Return the signer's answer. Raises SignerAway."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(TIMEOUT_S)
            line.connect(settings.SIGNER)
            with line.makefile("rwb") as stream:
                stream.write(json.dumps(request).encode() + b"\n")
                stream.flush()
                answer: dict[str, Any] = json.loads(stream.readline(MOST_BYTES))
    except (OSError, ValueError) as error:
        raise SignerAway(str(error)) from error
    if "error" in answer:
        raise SignerAway(answer["error"])
    return answer


def public_keys() -> tuple[bytes, frozenset[bytes]]:
    """Return the public half of the signer's current key, and those of all its keys."""
    answer = ask({"do": "keys"})
    return bytes.fromhex(answer["current"]), frozenset(map(bytes.fromhex, answer["held"]))


def signature(public: bytes, message: bytes) -> bytes:
    """Return the signer's signature of the message. Raises SignerAway."""
    answer = ask({"do": "sign", "key": public.hex(), "message": message.hex()})
    return bytes.fromhex(answer["signature"])

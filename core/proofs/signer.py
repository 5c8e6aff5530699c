"""Sign in a process of its own, which alone holds the private keys of the public log.

The others ask it over a socket of the machine (the setting SIGNER names its file), and only who may
open that file can ask. A request is one line of JSON and so is its answer. What is signed is in the
signer's log, so that a signature that nobody published is noticed.
"""

import hashlib
import json
import os
import socket
import socketserver
from pathlib import Path
from typing import Any, Final

import structlog
from django.conf import settings

TIMEOUT_S: Final = 5
_MOST_BYTES: Final = 64 * 1024 * 1024  # a batch of the journal is one message
_OWNER_AND_GROUP: Final = 0o117

log = structlog.get_logger("signer")


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
                answer: dict[str, Any] = json.loads(stream.readline(_MOST_BYTES))
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


class _Handler(socketserver.StreamRequestHandler):
    timeout = TIMEOUT_S

    def handle(self) -> None:
        try:
            answer = _answer(json.loads(self.rfile.readline(_MOST_BYTES)))
        except (ValueError, KeyError, TypeError) as error:
            answer = {"error": type(error).__name__}
        self.wfile.write(json.dumps(answer).encode() + b"\n")


def _answer(request: dict[str, str]) -> dict[str, Any]:
    from core.proofs import keys

    if request["do"] == "keys":
        held = [public.hex() for public in keys.held_public()]
        return {"current": keys.current_public().hex(), "held": held}
    public, message = bytes.fromhex(request["key"]), bytes.fromhex(request["message"])
    made = keys.sign_here(public, message)
    if made is None:
        return {"error": "signing_key_missing"}
    log.info("signed", key=request["key"][:16], digest=hashlib.sha256(message).hexdigest())
    return {"signature": made.hex()}


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Answer at a socket that owner and group of the process may open, and nobody else."""

    daemon_threads = True

    def __init__(self, path: str) -> None:
        Path(path).unlink(missing_ok=True)
        before = os.umask(_OWNER_AND_GROUP)
        try:
            super().__init__(path, _Handler)
        finally:
            os.umask(before)

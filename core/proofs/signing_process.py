"""Sign for the other processes of the machine, as the one that holds the private keys.

Each signature is in this process's log, so that one that nobody published is noticed.
"""

import errno
import hashlib
import json
import os
import socket
import socketserver
from pathlib import Path
from typing import Any, Final

import structlog

from core.proofs import keys
from core.proofs.signer import MOST_BYTES, TIMEOUT_S

_OWNER_AND_GROUP: Final = 0o117

log = structlog.get_logger("signer")


class _Handler(socketserver.StreamRequestHandler):
    timeout = TIMEOUT_S

    def handle(self) -> None:
        try:
            answer = _answer(json.loads(self.rfile.readline(MOST_BYTES)))
        except (ValueError, KeyError, TypeError) as error:
            answer = {"error": type(error).__name__}
        self.wfile.write(json.dumps(answer).encode() + b"\n")


def _answer(request: dict[str, str]) -> dict[str, Any]:
    if request["do"] == "keys":
        held = [public.hex() for public in keys.held_public()]
        return {"current": keys.current_public().hex(), "held": held}
    public, message = bytes.fromhex(request["key"]), bytes.fromhex(request["message"])
    signature = keys.sign_here(public, message)
    if signature is None:
        return {"error": "signing_key_missing"}
    log.info("signed", key=request["key"][:16], digest=hashlib.sha256(message).hexdigest())
    return {"signature": signature.hex()}


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Answer at a socket that only the owner and the group of the process may open."""

    daemon_threads = True

    def __init__(self, path: str) -> None:
        """Listen at `path`. Raises OSError if another signer answers there."""
        if Path(path).is_socket():  # of a signer that was killed; no other file is deleted
            with socket.socket(socket.AF_UNIX) as probe:
                if not probe.connect_ex(path):
                    raise OSError(errno.EADDRINUSE, "another signer answers there", path)
            Path(path).unlink()
        before = os.umask(_OWNER_AND_GROUP)
        try:
            super().__init__(path, _Handler)
        finally:
            os.umask(before)

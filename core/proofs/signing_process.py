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


def _is_dead(path: str) -> bool:
    """Return whether nobody listens at a socket any more, as after a kill.

    One that is slow does not refuse: it may have no room for a caller. Raises OSError.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)  # a queue without room would be waited for
        fault = probe.connect_ex(path)
    if fault in (0, errno.EAGAIN):
        raise OSError(errno.EADDRINUSE, "another signer is at work there", path)
    if fault not in (errno.ECONNREFUSED, errno.ENOENT):
        raise OSError(fault, os.strerror(fault), path)
    return fault == errno.ECONNREFUSED


class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Answer at a socket that only the owner and the group of the process may open."""

    daemon_threads = True
    request_queue_size = 128  # as many as call at once: one too many is not answered at all

    def __init__(self, path: str) -> None:
        """Listen at `path`. Raises OSError if anything but a dead signer is there."""
        if Path(path).is_socket() and _is_dead(path):
            Path(path).unlink()
        before = os.umask(_OWNER_AND_GROUP)
        try:
            super().__init__(path, _Handler)
        finally:
            os.umask(before)

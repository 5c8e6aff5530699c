"""Read reference clocks: this machine's, a time server's (SNTP, RFC 4330), and the receivers'.

A sample says how far a reference is ahead of this process's monotonic clock. It stays right when
the server's clock, or this machine's, is set: so references need to be asked seldom, and the
server's clock is compared with them every second.
"""

import os
import secrets
import socket
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import Request

from core.proofs.delivery import opener

TIMEOUT_S = 2.0
NTP_PORT = 123
_SECONDS_1900_TO_1970 = 2_208_988_800
_FRACTION = 2**32
_CLIENT, _SERVER = 0x23, 4  # version 4, mode 3; the mode of an answer
_FILE_UNCERTAINTY_S = 0.02  # times of files are those of the kernel's last tick


class NoTime(Exception):
    """The reference gave no usable time. The text says why."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A reference's time less this process's monotonic clock, in seconds.

    It was taken at `taken_s` of the monotonic clock.
    """

    kind: str
    name: str
    ahead_of_monotonic_s: float
    uncertainty_s: float
    taken_s: float


def machine() -> Sample:
    """Read the clock of this machine."""
    monotonic_s = time.monotonic()
    return Sample("machine", socket.gethostname(), time.time() - monotonic_s, 0.0, monotonic_s)


def ntp(server: str) -> Sample:
    """Ask a time server, HOST or HOST:PORT. Raises OSError, NoTime."""
    host, _, port = server.partition(":")
    nonce = secrets.token_bytes(8)  # as our transmit time, which the answer must repeat
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.settimeout(TIMEOUT_S)
        udp.connect((host, int(port or NTP_PORT)))
        asked_s = time.monotonic()
        udp.send(bytes([_CLIENT]) + bytes(39) + nonce)
        answer = udp.recv(512)
        answered_s = time.monotonic()
    if len(answer) < 48 or answer[0] & 7 != _SERVER or answer[24:32] != nonce:
        raise NoTime("not an answer to the question")
    if not 1 <= answer[1] <= 15 or answer[0] >> 6 == 3:
        raise NoTime("the time server is not synchronised")
    received_s, sent_s = (_seconds(answer[at : at + 8]) for at in (32, 40))
    travelled_s = max(0.0, (answered_s - asked_s) - (sent_s - received_s))
    middle_s = (asked_s + answered_s) / 2
    ahead_s = (received_s + sent_s) / 2 - middle_s
    return Sample("ntp", server, ahead_s, travelled_s / 2, answered_s)


def receiver(address: str) -> Sample:
    """Learn the time of a receiver of the public log: the date of its answer, or of a new file in
    its folder. Raises OSError, NoTime.
    """
    asked_s = time.monotonic()
    at_s, resolution_s = _file_time(Path(address)) if address[0] == "/" else _http_time(address)
    answered_s = time.monotonic()
    uncertainty_s = (answered_s - asked_s) / 2 + resolution_s
    middle_s = (asked_s + answered_s) / 2
    return Sample("receiver", address, at_s - middle_s, uncertainty_s, answered_s)


def _seconds(stamp: bytes) -> float:
    """Return a time of NTP in seconds since 1970; its era ends in 2036, and the next begins."""
    seconds, fraction = int.from_bytes(stamp[:4], "big"), int.from_bytes(stamp[4:], "big")
    era = _FRACTION if seconds < _FRACTION // 2 else 0
    return seconds + era - _SECONDS_1900_TO_1970 + fraction / _FRACTION


def _file_time(folder: Path) -> tuple[float, float]:
    probe = folder / f".clock.{socket.gethostname()}.{os.getpid()}"
    try:
        probe.write_bytes(b"\n")
        return probe.stat().st_mtime, _FILE_UNCERTAINTY_S
    finally:
        probe.unlink(missing_ok=True)


def _http_time(address: str) -> tuple[float, float]:
    """Return the middle of the second that the `Date` of an answer names. Any status will do."""
    try:
        with opener.open(Request(address, method="HEAD"), timeout=TIMEOUT_S) as answer:  # noqa: S310
            date = answer.headers["Date"]
    except HTTPError as error:
        date = error.headers["Date"]
        error.close()
    except URLError as error:
        raise NoTime(str(error.reason)) from error
    except HTTPException as error:
        raise NoTime("the answer is no HTTP") from error
    if not date:
        raise NoTime("the answer has no date")
    try:
        return parsedate_to_datetime(date).timestamp() + 0.5, 0.5
    except (ValueError, OverflowError) as error:
        raise NoTime("the answer's date is none") from error

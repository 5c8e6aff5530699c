"""Deliver the public log to outside receivers: folders and HTTP addresses from the settings.

A receiver sees it if an entry is rewritten later. Nothing waits for a receiver: a swept task
delivers the entries that it lacks, in order, and tries again later if it does not answer.
"""

import os
import socket
import threading
import time
from concurrent.futures import Future
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import (
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    Request,
    build_opener,
)

from django.conf import settings
from django.db.models import Q

from core.database import clock
from core.database.locks import Lock, session_hold
from core.database.management.on_disk import names_keep
from core.kernel.canonical import canonical_bytes
from core.proofs.models import LogEntry, Receiver

MOST_AT_ONCE = 500
TIMEOUT_S = 10
_FIRST_WAIT, _LONGEST_WAIT = timedelta(seconds=5), timedelta(hours=1)


def _resolved(until_s: float, address: tuple[str, int]) -> list[Any]:
    """Return the addresses of a host's name. Raises TimeoutError if they do not come until then.

    The system's resolver takes no limit of time: one that does not answer keeps a thread, and not
    the worker.
    """
    answer: Future[list[Any]] = Future()

    def ask() -> None:
        try:
            answer.set_result(socket.getaddrinfo(*address, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:  # the second: it is not the name of a host
            answer.set_exception(OSError(str(error)))

    threading.Thread(target=ask, name="resolve receiver", daemon=True).start()
    try:
        return answer.result(max(until_s - time.monotonic(), 0))
    except TimeoutError:
        raise TimeoutError("its name was not resolved in time") from None


def _reached(until_s: float, address: tuple[str, int], *_: object) -> socket.socket:
    """Connect to the first of a host's addresses that answers; all of them have until then.

    What remains is the time of the handshake, which Python counts as a whole.
    """
    error = OSError("the name has no address")
    for family, kind, protocol, _name, place in _resolved(until_s, address):
        reaching = socket.socket(family, kind, protocol)
        try:
            _limit(reaching, until_s)
            reaching.connect(place)
            _limit(reaching, until_s)
        except OSError as failure:
            reaching.close()
            error = failure
        else:
            return reaching
    raise error


def _limit(connection: socket.socket, until_s: float) -> None:
    left_s = until_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError("the time is over")
    connection.settimeout(left_s)


class _NoRedirect(HTTPRedirectHandler):
    """A handler that follows no redirect: a receiver is only at its configured address."""

    def redirect_request(self, *_: object) -> None:
        return None


class _Timed(HTTPConnection):
    """A connection that has as much time in all as its timeout gives to each part of it.

    Otherwise a receiver that has many addresses, or answers sign by sign, holds its caller for
    hours. The time ends the search for its addresses, the connecting, the handshake of TLS, the
    sending and the answer.
    """

    _ending: threading.Timer | None = None

    def connect(self) -> None:
        until_s = time.monotonic() + (self.timeout or TIMEOUT_S)
        self._create_connection = partial(_reached, until_s)
        super().connect()
        self._ending = threading.Timer(until_s - time.monotonic(), self._hang_up)
        self._ending.start()

    def getresponse(self) -> HTTPResponse:
        try:
            return super().getresponse()
        finally:
            self._end_timer()

    def close(self) -> None:
        self._end_timer()
        super().close()

    def _end_timer(self) -> None:
        if self._ending is not None:
            self._ending.cancel()

    def _hang_up(self) -> None:
        reading = self.sock
        if reading is None:  # the answer has ended in this moment
            return
        try:
            # That of TLS would take away what the reader is reading with.
            socket.socket.shutdown(reading, socket.SHUT_RDWR)
        except OSError:  # it has ended
            return


class _TimedTls(_Timed, HTTPSConnection):
    """The same, by TLS."""


class _Http(HTTPHandler):
    def http_open(self, req: Request) -> Any:
        return self.do_open(_Timed, req)


class _Https(HTTPSHandler):
    def https_open(self, req: Request) -> Any:
        return self.do_open(_TimedTls, req)


opener = build_opener(_NoRedirect, _Http, _Https)


class OtherEntry(OSError):
    """The receiver has another entry of that number: somebody went on with another log."""


def deliveries_due() -> list[int]:
    """Return the configured receivers that lack an entry and whose next try is due."""
    for address in settings.LOG_RECEIVERS:
        Receiver.objects.get_or_create(address=address)
    newest = LogEntry.objects.order_by("-sequence").values_list("sequence", flat=True).first()
    now = clock.now()
    by_a_wrong_clock = Q(retry_at__gt=now + _LONGEST_WAIT)
    due = Receiver.objects.filter(
        Q(retry_at=None) | Q(retry_at__lte=now) | by_a_wrong_clock,
        address__in=settings.LOG_RECEIVERS,
        delivered_sequence__lt=newest or 0,
    )
    return list(due.order_by("pk").values_list("pk", flat=True))


def deliver(*, receiver_id: int) -> int:
    """Deliver the entries that a receiver lacks; return the number of entries that it took.

    If a worker dies in between, a receiver may get an entry twice; entries are numbered. While one
    process delivers, it is still due, and the others leave it: a slow receiver holds one of them.
    """
    with session_hold(Lock.DELIVERY, receiver_id) as alone:
        return _delivered(receiver_id) if alone else 0


def _delivered(receiver_id: int) -> int:
    receiver = Receiver.objects.get(pk=receiver_id)
    lacking = LogEntry.objects.select_related("key").order_by("sequence")
    taken = 0
    for entry in lacking.filter(sequence__gt=receiver.delivered_sequence)[:MOST_AT_ONCE]:
        try:
            _give(receiver.address, entry)
        except (OSError, HTTPException) as error:  # the second: it answered what is no HTTP
            _wait(receiver, error, entry)
            break
        Receiver.objects.filter(pk=receiver_id, delivered_sequence=entry.sequence - 1).update(
            delivered_sequence=entry.sequence,
            disputed_sequence=None,
            failures=0,
            last_error="",
            retry_at=None,
        )
        taken += 1
    return taken


def _give(address: str, entry: LogEntry) -> None:
    content = canonical_bytes(entry.published()) + b"\n"
    if address.startswith("/"):
        _to_folder(Path(address), f"{entry.sequence:09d}.json", content)
        return
    request = Request(address, content, {"Content-Type": "application/json"})  # noqa: S310
    try:
        with opener.open(request, timeout=TIMEOUT_S) as answer:
            if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
                raise OSError(f"answered with status {answer.status}")
    except HTTPError as error:  # it is an answer too, and holds the connection
        error.close()
        if error.code == HTTPStatus.CONFLICT:
            raise OtherEntry(f"it has another entry {entry.sequence} (status 409)") from error
        raise


def _to_folder(folder: Path, name: str, content: bytes) -> None:
    """Write a complete file for an entry, which is on the disk afterwards with its name. A process
    that is killed meanwhile leaves its draft, which no reader takes for an entry.

    Raises OtherEntry if a different file has its name.
    """
    target, draft = folder / name, folder / f".{name}.{os.getpid()}"
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, target)
    except FileExistsError:
        if target.read_bytes() != content:
            raise OtherEntry(f"{name} exists already with other content") from None
    finally:
        draft.unlink(missing_ok=True)
    names_keep(folder)


def _wait(receiver: Receiver, error: Exception, entry: LogEntry) -> None:
    failures = Receiver.objects.values_list("failures", flat=True).get(pk=receiver.pk) + 1
    wait = min(_FIRST_WAIT * 2 ** min(failures - 1, 16), _LONGEST_WAIT)
    disputed = {"disputed_sequence": entry.sequence} if isinstance(error, OtherEntry) else {}
    Receiver.objects.filter(pk=receiver.pk).update(
        **disputed,
        failures=failures,
        last_error=f"{type(error).__name__}: {error}"[:200],
        retry_at=clock.now() + wait,
    )

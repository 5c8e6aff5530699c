"""A receiver of the public log that answers slowly holds one worker, and for a short time."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any
from unittest import mock
from urllib.request import Request

import pytest
from django.db import transaction

from core.proofs import delivery, log
from core.proofs.delivery import deliver, deliveries_due
from core.proofs.models import Receiver
from tests.support.concurrency.sales import apart, eventually
from tests.support.databases import Database

SOON_S = 1.0
Due = Callable[[str], int]


# What a header and a record of the handshake of TLS begin with; the record says it is 16383 long.
BEGINNINGS = {"http": b"HTTP/1.1 ", "https": b"\x16\x03\x03\x3f\xff\x02\x00\x3f\xfb"}


class _Slow:
    """A server that answers with one sign after the other, and never ends it."""

    def __init__(self, scheme: str) -> None:
        self.asked = 0
        self._beginning = BEGINNINGS[scheme]
        self._ending = threading.Event()
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"{scheme}://127.0.0.1:{self._server.getsockname()[1]}/log"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while not self._ending.is_set():
            caller, _ = self._server.accept()
            self.asked += 1
            threading.Thread(target=self._answer, args=[caller], daemon=True).start()

    def _answer(self, caller: socket.socket) -> None:
        with caller:
            try:
                caller.sendall(self._beginning)
                while not self._ending.wait(SOON_S / 10):
                    caller.sendall(b"2")
            except OSError:  # the caller has had enough
                return

    def close(self) -> None:
        self._ending.set()
        self._server.close()


@pytest.fixture
def due(own_database: Database, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Due:
    """Configure the address as the only receiver, with an entry to deliver; return its id."""

    def configured(address: str) -> int:
        settings.LOG_RECEIVERS = [address]
        monkeypatch.setattr(delivery, "TIMEOUT_S", SOON_S)
        with transaction.atomic():
            log.publish(kind="test.fact", subject="a", document={"is": "a"})
        (receiver,) = deliveries_due()
        return receiver

    return configured


@pytest.fixture(params=BEGINNINGS)
def slow(request: pytest.FixtureRequest, due: Due) -> Iterator[tuple[_Slow, int]]:
    server = _Slow(request.param)
    yield server, due(server.address)
    server.close()


@pytest.fixture
def full() -> Iterator[int]:
    """The port of a server that takes no connection: its queue is full."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            yield port


def _is_cut_off(receiver: int) -> None:
    begun_s = time.monotonic()
    assert apart(lambda: deliver(receiver_id=receiver)).result(timeout=5 * SOON_S) == 0
    assert time.monotonic() - begun_s >= SOON_S
    assert Receiver.objects.get().failures == 1
    assert deliveries_due() == []


def test_an_answer_that_does_not_end_is_cut_off_and_tried_later(slow: tuple[_Slow, int]) -> None:
    """So is the handshake before it."""
    _is_cut_off(slow[1])


def test_all_addresses_of_a_receiver_have_one_time(
    due: Due, full: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = socket.getaddrinfo("127.0.0.1", full, type=socket.SOCK_STREAM)
    receiver = due("http://many.example/log")
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *_, **__: one * (20 if host == "many.example" else 1)
    )
    _is_cut_off(receiver)


def test_a_name_that_no_resolver_answers_is_tried_later(
    due: Due, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, ended, resolve = threading.Event(), threading.Event(), socket.getaddrinfo

    def hanging(host: str, *more: Any, **named: Any) -> Any:
        if host == "silent.example":
            asked.set()
            ended.wait(60)
            raise socket.gaierror("the resolver gave up")
        return resolve(host, *more, **named)

    receiver = due("http://silent.example/log")
    monkeypatch.setattr(socket, "getaddrinfo", hanging)
    try:
        _is_cut_off(receiver)
        assert asked.is_set()
        assert Receiver.objects.get().last_error.endswith("its name was not resolved in time>")
    finally:
        ended.set()


def test_a_name_that_nobody_has_is_refused_at_once(
    due: Due, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver = due("http://nobody.example/log")
    unknown = socket.gaierror("Name or service not known")
    monkeypatch.setattr(socket, "getaddrinfo", mock.Mock(side_effect=unknown))
    assert apart(lambda: deliver(receiver_id=receiver)).result(timeout=5 * SOON_S) == 0
    assert "service not known" in Receiver.objects.get().last_error


def test_a_delivery_that_breaks_off_leaves_no_thread_that_waits_for_its_end() -> None:
    def breaking() -> Iterator[bytes]:
        yield b"{"
        raise ConnectionResetError

    server = _Slow("http")
    request = Request(server.address, breaking())  # noqa: S310
    before = set(threading.enumerate())
    with closing(server), pytest.raises(OSError, match="urlopen error"):
        delivery.opener.open(request, timeout=30)
    timers = [t for t in threading.enumerate() if isinstance(t, threading.Timer)]
    for timer in set(timers) - before:
        timer.join(10)
        assert not timer.is_alive()


def test_a_receiver_holds_one_worker_at_a_time(slow: tuple[_Slow, int]) -> None:
    """Until the try has ended it is due, and is sent to another worker every second."""
    server, receiver = slow
    first = apart(lambda: deliver(receiver_id=receiver))
    eventually(lambda: server.asked == 1)
    begun_s = time.monotonic()
    assert deliver(receiver_id=receiver) == 0
    assert time.monotonic() - begun_s < SOON_S / 2
    assert first.result(timeout=5 * SOON_S) == 0
    assert (server.asked, Receiver.objects.get().failures) == (1, 1)

"""Read reference clocks from servers of the test on the loopback address, and from folders."""

import email.utils
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from core.timekeeping import references
from core.timekeeping.references import NoTime, Sample
from tests.support.processes.answering import answering
from tests.support.processes.listening import listening

HOUR_S = 3600


def ahead_s(sample: Sample) -> float:
    """Return how far the reference is ahead of this machine."""
    return sample.ahead_of_monotonic_s - references.machine().ahead_of_monotonic_s


def stamp(at_s: float) -> bytes:
    seconds = int(at_s) + 2_208_988_800
    return struct.pack("!II", seconds % 2**32, int(at_s % 1 * 2**32))


def answer_of(question: bytes, off_s: float = 0, **changes: Any) -> bytes:
    at = stamp(time.time() + off_s)
    first = changes.get("first", 0x24)
    nonce = changes.get("nonce", question[40:48])
    return bytes([first, changes.get("stratum", 2)]) + bytes(22) + nonce + at + at


@contextmanager
def time_server(answer: Callable[[bytes], bytes]) -> Iterator[str]:
    """Answer one question of a client of NTP."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(10)

        def serve() -> None:
            question, client = udp.recvfrom(512)
            udp.sendto(answer(question), client)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"127.0.0.1:{udp.getsockname()[1]}"
        thread.join()


def test_the_machine_is_not_ahead_of_itself() -> None:
    assert abs(ahead_s(references.machine())) < 0.5


@pytest.mark.parametrize("off_s", [0, -HOUR_S, 300])
def test_a_time_server_is_asked(off_s: float) -> None:
    with time_server(lambda question: answer_of(question, off_s)) as server:
        sample = references.ntp(server)
    assert (sample.kind, sample.name) == ("ntp", server)
    assert abs(ahead_s(sample) - off_s) < 0.5
    assert 0 <= sample.uncertainty_s < 1


def test_the_era_of_ntp_that_begins_in_2036() -> None:
    at_s = 2_085_978_496 + HOUR_S  # 2036-02-07, an hour after the counter began again
    assert references._seconds(stamp(at_s)) == at_s


@pytest.mark.parametrize(
    "changes",
    [{"nonce": bytes(8)}, {"first": 0x23}, {"first": 0xE4}, {"stratum": 0}, {"stratum": 16}],
)
def test_an_answer_that_is_no_time(changes: dict[str, Any]) -> None:
    with (
        time_server(lambda question: answer_of(question, **changes)) as server,
        pytest.raises(NoTime),
    ):
        references.ntp(server)


def test_a_short_answer_and_none(monkeypatch: pytest.MonkeyPatch) -> None:
    with time_server(lambda question: b"hello") as server, pytest.raises(NoTime):
        references.ntp(server)
    monkeypatch.setattr(references, "TIMEOUT_S", 0.05)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        with pytest.raises(OSError):
            references.ntp(f"127.0.0.1:{silent.getsockname()[1]}")


@contextmanager
def receiver(date: str | None, status: int) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self.send_response_only(status)
            if date is not None:
                self.send_header("Date", date)
            self.end_headers()

    with listening(Handler) as address:
        yield f"{address}/log"


@pytest.mark.parametrize("status", [200, 404, 501])
def test_a_receiver_says_the_time_with_any_answer(status: int) -> None:
    date = email.utils.formatdate(time.time() - HOUR_S, usegmt=True)
    with receiver(date, status) as address:
        sample = references.receiver(address)
    assert abs(ahead_s(sample) + HOUR_S) <= sample.uncertainty_s + 0.1
    assert (sample.kind, sample.name) == ("receiver", address)


@pytest.mark.parametrize("date", [None, "tomorrow"])
def test_a_receiver_that_says_no_time(date: str | None) -> None:
    with receiver(date, 200) as address, pytest.raises(NoTime):
        references.receiver(address)


def test_a_receiver_that_is_away() -> None:
    with pytest.raises(NoTime):
        references.receiver("http://127.0.0.1:1/")


def test_a_folder_says_the_time_of_a_new_file(tmp_path: Path) -> None:
    sample = references.receiver(str(tmp_path))
    assert abs(ahead_s(sample)) < 0.5
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OSError):
        references.receiver(str(tmp_path / "none"))


@pytest.mark.parametrize("answer", [b"nonsense\r\n\r\n", b"HTTP/1.1 200 " + b"x" * 70_000, b""])
def test_an_answer_that_is_no_http_gives_no_time(answer: bytes) -> None:
    with answering(answer) as address, pytest.raises((NoTime, OSError)):
        references.receiver(address)


def test_a_date_with_an_offset_beyond_all_numbers_gives_no_time() -> None:
    date = "Thu, 31 Dec 2020 23:59:59 +99999999999999"
    with receiver(date, 200) as address, pytest.raises(NoTime):
        references.receiver(address)

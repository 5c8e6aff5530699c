"""Deliver the public log to receivers: all entries, in order, later if a receiver fails."""

import json
import os
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError

from core.database import clock
from core.proofs import delivery, keys, log
from core.proofs.delivery import deliver, deliveries_due
from core.proofs.models import LogEntry, Receiver
from core.proofs.tasks import deliver_to
from tests.support import factories
from tests.support.processes.answering import answering
from tests.support.processes.listening import listening
from tests.support.verifying.load import verifier

pytestmark = pytest.mark.django_db


def publish(*subjects: str) -> None:
    for subject in subjects:
        log.publish(kind="test.fact", subject=subject, document={"is": subject})


class _Handler(BaseHTTPRequestHandler):
    taken: list[dict[str, Any]]
    answers: list[int]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = self.answers.pop(0) if self.answers else 204
        if status < 300:
            self.taken.append(json.loads(body))
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()


@pytest.fixture
def http() -> Iterator[tuple[str, type[_Handler]]]:
    handler = type("Handler", (_Handler,), {"taken": [], "answers": []})
    with listening(handler) as address:
        yield f"{address}/log", handler


def test_a_folder_gets_a_file_for_each_and_they_make_a_whole_log(
    settings: Any, tmp_path: Path
) -> None:
    settings.LOG_RECEIVERS = [str(tmp_path)]
    assert deliveries_due() == []
    publish("a", "b")
    (receiver,) = deliveries_due()
    assert deliver_to(receiver) == 3
    assert deliveries_due() == []
    publish("c")
    assert deliver(receiver_id=receiver) == 1
    files = sorted(tmp_path.iterdir())
    assert [each.name for each in files] == [f"{n:09d}.json" for n in (1, 2, 3, 4)]
    entries = [json.loads(each.read_text()) for each in files]
    assert verifier("public_log").log_holds(entries, [keys.current_public()]).startswith("WHOLE: 4")
    assert entries == [each.published() for each in LogEntry.objects.order_by("sequence")]


def test_an_entry_counts_as_delivered_when_its_name_is_on_the_disk(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it is lost with the power, and is never sent again."""
    settings.LOG_RECEIVERS = [str(tmp_path)]
    publish("a")
    (receiver,) = deliveries_due()
    waits, wait = [], os.fsync

    def noted(file: int) -> None:
        place = Path(f"/proc/self/fd/{file}").readlink()
        names = sorted(each.name for each in tmp_path.glob("[!.]*"))
        waits.append((place, names, Receiver.objects.get().delivered_sequence))
        wait(file)

    monkeypatch.setattr(os, "fsync", noted)
    assert deliver(receiver_id=receiver) == 2
    both = ["000000001.json", "000000002.json"]
    assert [each for each in waits if each[0] == tmp_path] == [
        (tmp_path, both[:1], 0),
        (tmp_path, both, 1),
    ]


def test_a_folder_that_is_missing_or_has_another_log_is_tried_again_later(
    settings: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "later"
    settings.LOG_RECEIVERS = [str(folder)]
    publish("a")
    (receiver,) = deliveries_due()
    assert deliver(receiver_id=receiver) == 0
    assert deliveries_due() == []
    assert "FileNotFoundError" in Receiver.objects.get().last_error
    folder.mkdir()
    factories.time_pass(seconds=6)
    (folder / "000000002.json").write_text("another log")
    assert (deliveries_due(), deliver(receiver_id=receiver)) == ([receiver], 1)
    delivered = Receiver.objects.get()
    assert (delivered.delivered_sequence, delivered.failures) == (1, 1)
    assert "other content" in delivered.last_error
    assert (folder / "000000002.json").read_text() == "another log"


def test_an_address_is_posted_to_in_order_and_again_after_a_failure(
    settings: Any, http: tuple[str, type[_Handler]]
) -> None:
    address, handler = http
    settings.LOG_RECEIVERS = [address]
    publish("a", "b")
    (receiver,) = deliveries_due()
    handler.answers[:] = [204, 503]
    assert deliver(receiver_id=receiver) == 1
    for expected_s in (5, 10, 20):
        assert Receiver.objects.get().retry_at is not None
        factories.time_pass(seconds=expected_s - 1)
        assert deliveries_due() == []
        factories.time_pass(seconds=2)
        assert deliveries_due() == [receiver]
        handler.answers[:] = [302]
        assert deliver(receiver_id=receiver) == 0
    factories.time_pass(seconds=60)
    assert deliver(receiver_id=receiver) == 2
    assert [each["sequence"] for each in handler.taken] == [1, 2, 3]
    assert Receiver.objects.get().failures == 0


def test_a_wait_that_began_by_a_clock_a_day_ahead_keeps_no_entry_back(
    settings: Any, http: tuple[str, type[_Handler]]
) -> None:
    """It would last until that time comes, and nobody outside would see the log meanwhile."""
    address, _ = http
    settings.LOG_RECEIVERS = [address]
    publish("a")
    (receiver,) = deliveries_due()
    Receiver.objects.update(failures=1, retry_at=clock.now() + timedelta(days=1))
    assert deliveries_due() == [receiver]
    Receiver.objects.update(retry_at=clock.now() + timedelta(minutes=59))
    assert deliveries_due() == []


def test_an_answer_that_refuses_is_closed(
    settings: Any, http: tuple[str, type[_Handler]], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, handler = http
    settings.LOG_RECEIVERS = [address]
    publish("a")
    (receiver,) = deliveries_due()
    handler.answers[:] = [503]
    errors: list[Any] = []
    monkeypatch.setattr(delivery, "_wait", lambda _, error, __: errors.append(error))
    assert deliver(receiver_id=receiver) == 0
    assert [error.fp.isclosed() for error in errors] == [True]


@pytest.mark.parametrize(
    "answer",
    [b"nonsense\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 " + b"x" * 70_000, b"", b"\r\n"],
)
def test_an_answer_that_is_no_http_is_a_failure_that_is_tried_later(
    settings: Any, answer: bytes
) -> None:
    publish("a")
    with answering(answer) as address:
        settings.LOG_RECEIVERS = [address]
        (receiver,) = deliveries_due()
        assert deliver(receiver_id=receiver) == 0
    lagging = Receiver.objects.get()
    assert (lagging.delivered_sequence, lagging.failures) == (0, 1)
    assert lagging.last_error
    assert deliveries_due() == []


def test_who_is_no_longer_configured_is_left_alone(settings: Any, tmp_path: Path) -> None:
    settings.LOG_RECEIVERS = [str(tmp_path)]
    publish("a")
    assert len(deliveries_due()) == 1
    settings.LOG_RECEIVERS = []
    assert deliveries_due() == []
    with pytest.raises(IntegrityError):
        Receiver.objects.create(address=str(tmp_path))

"""A receiver by HTTP, or the worker that sends to it, is killed between an entry and its answer."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from django.db import transaction

from core.proofs import log
from core.proofs.copies import entries_of
from core.proofs.delivery import deliver, deliveries_due
from core.proofs.models import LogEntry, Receiver
from core.tools.embedded.server import ROOT
from tests.support import factories
from tests.support.concurrency.forking import Forked
from tests.support.concurrency.sales import eventually
from tests.support.databases import Database


@contextmanager
def receiver(port: int, folder: Path, then: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a receiver until the end; it then does not exist any more."""
    command = [sys.executable, "-m", "tests.support.processes.receiving", str(port), str(folder)]
    process = subprocess.Popen([*command, then], cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        eventually(lambda: answers(port))
        yield process
    finally:
        process.kill()
        process.wait()


def answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        return False
    return True


def asked(folder: Path) -> list[int]:
    """Return the numbers of the entries that were brought, as often as they were."""
    file = folder / "asked"
    return [int(number) for number in file.read_text().split()] if file.exists() else []


def test_an_entry_whose_answer_was_lost_comes_again_and_is_the_same_one(
    own_database: Database, settings: Any, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings.LOG_RECEIVERS = [f"http://127.0.0.1:{port}/log"]
    folder = tmp_path / "kept"
    folder.mkdir()
    with transaction.atomic():
        log.publish(kind="test.fact", subject="a", document={"is": "a"})
    (due,) = deliveries_due()
    work = partial(deliver, receiver_id=due)

    with receiver(port, folder, "dies") as theirs:
        assert work() == 0
        assert theirs.wait() == -signal.SIGKILL
    assert work() == 0  # nobody is there
    lagging = Receiver.objects.get()
    assert (lagging.delivered_sequence, lagging.failures) == (0, 2)

    factories.time_pass(minutes=1)
    with receiver(port, folder, "waits"):
        output = tmp_path / "worker"
        ours = Forked(work, environment=own_database.environment, output=output)
        eventually(lambda: len(asked(folder)) == 2)
        assert ours.kill() == -signal.SIGKILL
    assert Receiver.objects.get().delivered_sequence == 0
    assert deliveries_due() == [due]

    count = LogEntry.objects.count()
    with receiver(port, folder, "answers"):
        eventually(lambda: work() == count)
    assert asked(folder) == [1, 1, *range(1, count + 1)]
    assert list(entries_of(folder)) == [
        each.published() for each in LogEntry.objects.order_by("sequence")
    ]
    delivered = Receiver.objects.get()
    assert (delivered.failures, delivered.disputed_sequence) == (0, None)
    assert deliveries_due() == []

"""Watch the clock from a thread of a process of the system."""

import threading
import time
from collections.abc import Callable

import structlog
from django.conf import settings
from django.db import DatabaseError, connection

from core.database.engine.hanging import leave_hanging
from core.journal import acting
from core.timekeeping import references
from core.timekeeping.guard import EVERY_S, beat
from core.timekeeping.references import NoTime, Sample

ASK_EVERY_S = 64.0
"""Time servers ask not to be asked more often."""
PATIENCE_S = 5.0
"""A comparison that waits longer is for a lock, or for a server that hangs."""
log = structlog.get_logger("clock")


class Watch:
    """The thread that compares the server's clock every second, and the one that asks references.

    References outside are asked in a thread of their own, so that one that does not answer delays
    nothing. The samples are replaced as a whole and never changed: the threads need no lock.

    A third one sees that a comparison waits for long, and leaves the server if it hangs.
    """

    def __init__(self) -> None:
        self._samples: tuple[Sample, ...] = ()
        self._waits_since_s: float | None = None
        self._ending = threading.Event()
        self._threads = [
            threading.Thread(target=self._compare, name="clock", daemon=True),
            threading.Thread(target=self._ask, name="clock references", daemon=True),
            threading.Thread(target=self._leave_hanging, name="clock server", daemon=True),
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._ending.set()
        for thread in self._threads:
            thread.join()

    def ask(self) -> None:
        """Ask every outside reference. A reference that gives no time has no sample then."""
        samples = []
        questions: list[tuple[Callable[[str], Sample], str]] = [
            (references.receiver, address) for address in settings.LOG_RECEIVERS
        ]
        if settings.NTP_SERVER:
            questions.append((references.ntp, settings.NTP_SERVER))
        for ask, name in questions:
            try:
                samples.append(ask(name))
            except (OSError, NoTime) as error:
                log.info("reference gave no time", reference=name, error=str(error))
        self._samples = tuple(samples)

    def samples(self) -> tuple[Sample, ...]:
        """Return a sample of this machine's clock and the newest ones of the references."""
        return references.machine(), *self._samples

    def _ask(self) -> None:
        while not self._ending.is_set():
            self.ask()
            self._ending.wait(ASK_EVERY_S)

    def _compare(self) -> None:
        acting.begin(acting.Acting("clock.watch"))
        due_s = time.monotonic()
        while not self._ending.is_set():
            self._waits_since_s = time.monotonic()
            try:
                beat(self.samples())
            except DatabaseError as error:
                log.info("clock not compared", error=type(error).__name__)
                connection.close()
            except Exception:  # an end of this thread would be noticed by nobody
                log.exception("clock not compared")
                connection.close()
            self._waits_since_s = None
            due_s = max(due_s + EVERY_S, time.monotonic())
            self._ending.wait(due_s - time.monotonic())
        connection.close()

    def _leave_hanging(self) -> None:
        parameters = connection.get_connection_params()
        while not self._ending.wait(EVERY_S):
            since_s = self._waits_since_s
            if since_s is None or time.monotonic() - since_s < PATIENCE_S:
                continue
            if left := leave_hanging(parameters):
                log.error("database hangs", servers=left)


def start() -> Watch:
    """Begin to watch the clock in this process."""
    watch = Watch()
    watch.start()
    return watch

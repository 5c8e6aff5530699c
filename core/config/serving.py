"""Run granian so that the death of a web process does not end the others.

Granian ends all its processes when one of them dies twice within 5.5 seconds. Here a process that
dies is started again, after a pause that grows while it goes on dying; the others serve meanwhile.
Where each is refused at its first start, as by a wrong setting, the server ends and says so.
Granian also hangs where two signals to end reach it at once, as when its supervisor is killed.
The options are granian's: `python -m core.config.serving --workers 2 core.config.wsgi:application`.
"""

import time
from _thread import start_new_thread
from threading import Event
from typing import Any

from granian import cli
from granian.server import MPServer

_PAUSE_S, _LONGEST_S = 0.25, 15.0
_LIVED_S = 30.0
"""A process that lived for so long did not die of its start."""
_LOOK_EVERY_S = 1.0


class Pauses:
    """Say how long to wait before a process is started again: twice as long each time."""

    def __init__(self) -> None:
        self._pause_s, self._last_s = 0.0, 0.0

    def next_s(self, now_s: float) -> float:
        """Return the pause after a death at `now_s`, in seconds of the monotonic clock."""
        again = now_s - self._last_s < _LIVED_S
        self._pause_s = min(2 * self._pause_s or _PAUSE_S, _LONGEST_S) if again else 0.0
        self._last_s = now_s
        return self._pause_s


class Bell(Event):
    """An event that the handler of a signal can set.

    A handler runs in the main thread, between two of its steps. If the main thread has the lock of
    the event there (it begins to wait, or another signal just sets it), a plain `set` waits for
    that lock for ever. So another thread sets the event. And where a signal comes just before a
    wait, its handler runs only after the wait. So each wait is short, and is repeated.
    """

    def set(self) -> None:
        start_new_thread(super().set, ())

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is not None:
            return super().wait(timeout)
        while not super().wait(_LOOK_EVERY_S):
            pass
        return True


class LastingServer(MPServer):
    """Granian's server. A second death does not end it, and two signals at once do.

    It ends with 1 if each process ended with 1 in its first life: then nothing was ever served.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.main_loop_interrupt = Bell()
        self._pauses = Pauses()
        self._first_ends: dict[int, int | None] = {}

    def _respawn_workers(self, workers: list[int], *arguments: Any, **options: Any) -> None:
        for index in workers:
            self._first_ends.setdefault(index, self.wrks[index].inner.exitcode)
        if list(self._first_ends.values()) == [1] * self.workers:
            self.interrupt_children = workers  # by this granian ends with 1
            self.interrupt_signal = True
            self.main_loop_interrupt.set()
            return
        time.sleep(self._pauses.next_s(time.monotonic()))
        super()._respawn_workers(workers, *arguments, **options)
        self.respawned_wrks.clear()  # what the server's end at a second death is decided by


def main() -> None:
    cli.Server = LastingServer  # type: ignore[attr-defined]
    cli.entrypoint()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()

"""Let two workers meet at a step, or go on as soon as one of them was kept out of it."""

import threading

_WITHIN_S = 120


class Meeting:
    """A step at which the first of two workers waits for the other, which comes to it or ends.

    No time decides what a test sees: a slow worker is waited for, and one that was kept out ends.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._seen = 0

    def come(self) -> None:
        """Wait at the step until the other worker has come as well, or has ended."""
        with self._changed:
            self._seen += 1
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._seen >= 2, _WITHIN_S), "nobody else came"

    def end(self) -> None:
        """Say that a worker has ended, whether it came to the step or not."""
        with self._changed:
            self._seen += 1
            self._changed.notify_all()

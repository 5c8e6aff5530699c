"""Go on asking for sweeps and nights once the clock of beat's machine is set right."""

from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from celery.beat import PersistentScheduler

_ROOM_BYTES = 1 << 16
"""More than the file of the schedule takes."""


class Beat(PersistentScheduler):  # type: ignore[misc]
    """Celery's scheduler. That one sends nothing before the newest time at which it sent anything.

    A clock that was ahead leaves one of tomorrow, or of a year to come, and its file keeps it.
    """

    def setup_schedule(self) -> None:
        """Open the file of the schedule, or end with a sentence where its folder takes none.

        Where the disk is full the library waits for ever.
        """
        try:
            with TemporaryFile(dir=Path(self.schedule_filename).parent) as probe:
                probe.write(bytes(_ROOM_BYTES))
                probe.flush()
            super().setup_schedule()
        except OSError as error:
            words = f"refused to start: {self.schedule_filename} cannot be written: {error}"
            raise SystemExit(words) from None

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send one task if one is due; return in how many seconds to ask again."""
        for entry in self.schedule.values():
            now = entry.default_now()
            if entry.last_run_at > now:
                entry.last_run_at, self._heap = now, None
        seconds: float = super().tick(*args, **kwargs)
        return seconds

"""Keep the files of counts that processes share, so that none of them can end its process.

prometheus_client maps each file into memory, and gives it a length without room on the disk. Where
the folder was full by then, the kernel ended the process at the next count, in the middle of a
sale. Here the room is reserved first. A count that finds none stays in the memory of its process,
which goes on, and is written at the first count after there is room.

Counts are made of the classes of this module, so that none is made before.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import structlog
from prometheus_client import Counter, Histogram, values
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.registry import Collector

__all__ = ["Counter", "Histogram", "Room"]

_FIRST_BYTES: Final = 1 << 16
_BESIDE_NAME_BYTES: Final = 28  # its length, at most eight of padding, value and time
_AGAIN_S: Final = 1.0
_log = structlog.get_logger("metrics")


class Reserved(MmapedDict):
    """A file of counts whose bytes are all on the disk before one of them is mapped."""

    def __init__(self, filename: str) -> None:
        self._place = Path(filename)
        self._f: Any = None  # not open yet
        self._positions: dict[str, int] = {}
        self._refused_s: float | None = None
        self._has_place("")

    def read_value(self, key: str) -> tuple[float, float]:
        """Return the value of a count and its time; zero for one that has no place."""
        if not self._has_place(key):
            return 0.0, 0.0
        value, at_s = super().read_value(key)  # type: ignore[no-untyped-call]
        return value, at_s

    def write_value(self, key: str, value: float, timestamp: float) -> None:
        """Write the value of a count if it has a place, or there is room for one now."""
        if key in self._positions or self._has_place(key):
            super().write_value(key, value, timestamp)  # type: ignore[no-untyped-call]

    def _has_place(self, key: str) -> bool:
        """Return whether the count of that name is in the file, or has room there.

        After a refusal the disk is asked again a second later at the earliest.
        """
        if key in self._positions:
            return True
        now_s = time.monotonic()
        if self._refused_s is not None and now_s - self._refused_s < _AGAIN_S:
            return False
        try:
            self._open()
            if self._used + len(key.encode()) + _BESIDE_NAME_BYTES > self._capacity:
                _reserve(self._place, 2 * self._capacity)
        except OSError as error:
            if self._refused_s is None:
                _log.warning("counts have no room", file=str(self._place), error=error.strerror)
            self._refused_s = now_s
            return False
        if self._refused_s is not None:
            _log.warning("counts have room again", file=str(self._place))
        self._refused_s = None
        return True

    def _open(self) -> None:
        """Map the file. A new one is made under another name, so that a reader finds it whole."""
        if self._f is not None:
            return
        draft = self._place.with_name(f".{self._place.name}")
        try:
            if not self._place.exists():
                _reserve(draft, _FIRST_BYTES)
                draft.rename(self._place)
        finally:
            draft.unlink(missing_ok=True)
        _reserve(self._place, self._place.stat().st_size)
        super().__init__(str(self._place))  # type: ignore[no-untyped-call]


def _reserve(place: Path, size_bytes: int) -> None:
    """Give a file that many bytes on the disk. Raises OSError where there are none."""
    with place.open("ab") as file:
        os.posix_fallocate(file.fileno(), 0, size_bytes)


class Room(Collector):
    """Say how much room the folder of the counts has. Without any, counts are not shown."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def collect(self) -> Iterator[Metric]:
        disk = os.statvfs(self._folder)
        family = GaugeMetricFamily("metrics_folder_free_bytes", "Room for counts of processes")
        family.add_metric((), disk.f_bavail * disk.f_frsize)
        yield family


values.MmapedDict = Reserved  # type: ignore[attr-defined,assignment]  # before the first count

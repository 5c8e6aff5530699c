"""Read the processor time that processes took, from the kernel's accounts in /proc."""

import os
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def taken_s(root: int) -> float:
    """Return the processor time of a process and its descendants, ended ones included, in
    seconds.
    """
    processes = dict(_processes())
    below = {root}
    while more := {pid for pid, (parent, _) in processes.items() if parent in below} - below:
        below |= more
    return sum(processes[pid][1] for pid in below if pid in processes)


def _processes() -> Iterator[tuple[int, tuple[int, float]]]:
    """Yield each process with its parent and the seconds that it and its ended children took."""
    for folder in _PROC.iterdir():
        if not folder.name.isdecimal():
            continue
        try:
            # The name, in parentheses, may hold anything.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        ticks = sum(int(field) for field in fields[11:15])
        yield int(folder.name), (int(fields[1]), ticks / _TICKS_PER_S)

"""Read the processor time that processes took, from the kernel's accounts in /proc."""

import os
import time
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


def ours_s() -> float:
    """Return the processor time so far of this process and of its database connection.

    In seconds; other load on the machine adds little to it. The server's process works alone: what
    it would give to parallel workers is not seen.
    """
    return time.process_time() + backend_s()


def backend_s() -> float:
    """Return the processor time so far of the server's process of our connection, in seconds."""
    from django.db import connection  # needs the settings

    with connection.cursor() as cursor:
        cursor.execute("SET max_parallel_workers_per_gather = 0")
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    return process_s(pid)


def process_s(pid: int) -> float:
    """Return the processor time so far of one process, in seconds."""
    try:  # in nanoseconds, where the kernel keeps them; the other account is in hundredths
        return int((_PROC / str(pid) / "schedstat").read_text().split()[0]) / 1e9
    except FileNotFoundError:
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS_PER_S

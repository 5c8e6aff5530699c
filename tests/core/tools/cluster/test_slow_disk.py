"""Tests of the slow disk: what waits for the disk waits longer, and nothing else does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.tools.cluster import slow_disk
from core.tools.embedded.server import ROOT

PAUSE_MS = 60
# Two threads and a descendant wait for the disk; a plain write does not.
WRITING = """
import os, sys, threading, time
file = open(sys.argv[1], "wb", buffering=0)
def took(act):
    since = time.monotonic()
    act()
    return time.monotonic() - since
def at_once():
    threads = [threading.Thread(target=os.fsync, args=(file.fileno(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
plain = min(took(lambda: file.write(b".")) for _ in range(20))  # another process may interrupt one
print(plain, took(lambda: os.fdatasync(file.fileno())), took(at_once))
sys.stdout.flush()
if not os.fork():
    print(took(lambda: os.fsync(file.fileno())), flush=True)
    os._exit(0)
os.wait()
sys.exit(7)
"""


@pytest.mark.skipif(not slow_disk.available(), reason="not this kind of machine")
def test_what_waits_for_the_disk_waits_longer(tmp_path: Path) -> None:
    words = [sys.executable, "-c", WRITING, str(tmp_path / "file")]
    done = subprocess.run(
        slow_disk.command(PAUSE_MS, words),
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "takes no filter" in done.stderr:
        pytest.skip("the kernel allows no filter of calls here")
    assert done.returncode == 7, done.stderr
    write_s, *waits_s = map(float, done.stdout.split())
    assert len(waits_s) == 3
    assert all(seconds >= PAUSE_MS / 1000 for seconds in waits_s)
    assert write_s < min(waits_s)

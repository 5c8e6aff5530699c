"""Begin after who migrates the database."""

import fcntl
import threading
from pathlib import Path

import pytest

from core.database.management.migrated import wait_until_migrated


def test_a_process_begins_when_nobody_locks_the_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wait_until_migrated()  # nobody is to be waited for
    place = tmp_path / "begin.lock"
    monkeypatch.setenv("BEGIN_AFTER", str(place))
    waiting = threading.Thread(target=wait_until_migrated)
    with place.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
    waiting.join(60)
    assert not waiting.is_alive()

"""The restore is killed before its steps, and begun again by a person who reads the page.

The kills are real, and so is the script; Barman and PostgreSQL are small programs that keep their
state in files, so that all steps take a minute. `make drill DRILLS=restore` has the real ones.
"""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from core.tools.embedded.server import ROOT

SCRIPT = ROOT / "docs" / "deploy" / "restore.sh"
STEPS = """set -T
at=0
trap 'at=$((at + 1)); [ $at != "$KILL_AT" ] || kill -s "$KILL_BY" $$' DEBUG
"""
"""Read by bash before the script: it counts its commands, also those of its functions."""
PROGRAMS = {
    "barman": """
[ "$1" = list-backups ] && { echo one; exit; }
for data; do :; done
mkdir "$data" && echo 18 > "$data/PG_VERSION" && touch "$data/postgresql.auto.conf"
echo all > "$data/rows"
""",
    "pg_ctl": """
for verb; do :; done
case $verb in
status) [ -f "$2/postmaster.pid" ] ;;
stop) rm "$2/postmaster.pid" ;;
start) [ -f "$2/rows" ] && touch "$2/postmaster.pid" ;;
esac
""",
    "psql": "echo f",
    "python": "[ -f $WORK/data/postmaster.pid ]",
}
MOST_STEPS = 200


class Machine:
    """A machine on which restores are begun."""

    def __init__(self, folder: Path) -> None:
        self.work, self.programs = folder / "work", folder / "programs"
        self.programs.mkdir(parents=True)
        for name, words in PROGRAMS.items():
            (self.programs / name).write_text(f"#!/bin/bash\n{words}")
            (self.programs / name).chmod(0o755)
        (self.programs / "steps").write_text(STEPS)

    def restore(self, at: int = 0, by: str = "KILL") -> subprocess.CompletedProcess[str]:
        """Restore in earnest, and be killed before step `at`; 0: not at all."""
        return subprocess.run(
            ["bash", str(SCRIPT)],
            env={
                "PATH": f"{self.programs}:{os.defpath}",
                "HOME": str(self.work),
                "WORK": str(self.work),
                "STAY": "yes",
                "PYTHON": str(self.programs / "python"),
                "BASH_ENV": str(self.programs / "steps"),
                "KILL_AT": str(at),
                "KILL_BY": by,
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    @property
    def is_whole(self) -> bool:
        """Return whether a server serves all that was in the backup."""
        data = self.work / "data"
        return (data / "postmaster.pid").exists() and (data / "rows").read_text() == "all\n"

    @property
    def says_passed(self) -> bool:
        last = self.work / "last"
        return last.exists() and "passed" in last.read_text()

    def stop(self) -> None:
        (self.work / "data" / "postmaster.pid").unlink()


@pytest.mark.servers
@pytest.mark.parametrize(("by", "every"), [("KILL", 1), ("TERM", 9)])
def test_killed_before_a_step_it_ends_alike_or_says_what_to_do(
    tmp_path: Path, by: str, every: int
) -> None:
    for at in range(1, MOST_STEPS, every):
        machine = Machine(tmp_path / str(at))
        killed = machine.restore(at, by)
        if not killed.returncode and killed.stdout.count("it runs") == 1 and by == "KILL":
            break  # it has no such step: it was not killed
        assert not machine.says_passed or machine.is_whole, at
        assert killed.returncode or machine.is_whole, at
        again = machine.restore()
        if again.returncode:
            (sentence,) = again.stderr.splitlines()
            assert "a server runs on" in sentence and "stop it first" in sentence, at
            if not (machine.work / "unfinished").exists():
                assert machine.is_whole, at  # it was killed after its last step but words
                continue
            machine.stop()
            again = machine.restore()
        assert again.returncode == 0, (at, again.stderr)
        assert machine.is_whole and machine.says_passed, at
        if by == "TERM" and killed.returncode == 0:
            break
    assert at > 40


@pytest.mark.servers
def test_one_that_was_ended_by_a_signal_has_not_passed(tmp_path: Path) -> None:
    """Bash tells its last trap of no fault then: half of the data stood as a whole restore."""
    machine = Machine(tmp_path)
    ended = machine.restore(30, "TERM")
    assert ended.returncode == 128 + signal.SIGTERM
    assert "FAILED" in (machine.work / "last").read_text()
    assert not (machine.work / "data").exists()

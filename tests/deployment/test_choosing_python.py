"""Check which Python `make install` takes: the quickest that it finds, or the one it is given."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHOOSE = Path(__file__).parents[2] / ".ci" / "python"


def choose(*names: str, found_first: Path | None = None) -> "subprocess.CompletedProcess[str]":
    path = os.environ["PATH"] if found_first is None else f"{found_first}:{os.environ['PATH']}"
    return subprocess.run(
        [CHOOSE, *names], env={"PATH": path}, capture_output=True, text=True, check=False
    )


def stand_in(folder: Path, says: str) -> Path:
    """Make a newest Python that answers every question with some words."""
    python = folder / "python3.13"
    python.write_text(f"#!/bin/sh\necho {says}\n")
    python.chmod(0o755)
    return python


def test_the_python_that_is_given_is_taken() -> None:
    assert choose(sys.executable).stdout.strip() == sys.executable


@pytest.mark.parametrize("milliseconds", ["1", "1000000"])
def test_the_newest_is_taken_unless_another_is_much_quicker(
    tmp_path: Path, milliseconds: str
) -> None:
    newest = stand_in(tmp_path, milliseconds)
    (tmp_path / "python3").symlink_to(sys.executable)
    taken = choose(found_first=tmp_path).stdout.strip()
    assert (taken == str(newest)) == (milliseconds == "1")


def test_without_a_python_that_will_do_it_says_so() -> None:
    refused = choose("no-python-at-all")
    assert refused.returncode == 1 and not refused.stdout
    assert "found: none" in refused.stderr and "python3-venv" in refused.stderr

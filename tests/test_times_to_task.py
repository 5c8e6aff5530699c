"""Write the table of times to task from what was counted, and from nothing else."""

import json
from pathlib import Path

import pytest

from core.tools.embedded.server import ROOT
from tests.support.browser.tasks import TASKS, table, written

DOCUMENT = (ROOT / "docs" / "screens.md").read_text("utf-8")


def counted(folder: Path, *names: str) -> None:
    for number, name in enumerate(names):
        figures = {"acts": 2 + number, "seconds": 0.125 + number}
        (folder / f"{name}.json").write_text(json.dumps(figures), "utf-8")


def test_a_task_that_was_not_counted_is_not_written(tmp_path: Path) -> None:
    counted(tmp_path, *list(TASKS)[1:])
    with pytest.raises(FileNotFoundError):
        table(tmp_path, machine="here")


def test_the_table_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    counted(tmp_path, *TASKS)
    new = table(tmp_path, machine="here")
    assert "| a single bet of seven races | 2 taps | 0.12 | `test_terminal.py`" in new
    once = written(DOCUMENT, new)
    assert once.count(new) == 1 and once.count("| task |") == 1
    assert written(once, new) == once
    before, after = DOCUMENT.split("| task |")[0], DOCUMENT.split("## What Lighthouse says")[1]
    assert once.startswith(before) and once.endswith(after)
    with pytest.raises(ValueError, match="no table"):
        written("nothing", new)

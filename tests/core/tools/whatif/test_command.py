"""`manage.py whatif` as an auditor runs it: a process of its own, and no database anywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

ROOT = Path(__file__).resolve().parents[4]
CASES = ROOT / "tests" / "golden" / "cases.json"


def _whatif(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    nowhere = "postgresql://nobody:nothing@127.0.0.1:1/nothing"
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "core.config.settings",
        "DATABASE_URL": nowhere,
        "DATABASE_OWNER_URL": nowhere,
        "BROKER_URL": "redis://127.0.0.1:1/0",
        "PROFILE": "development",
        "VAR_DIR": str(folder),
    }
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "whatif", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_one_line_per_case_without_a_database(tmp_path: Path) -> None:
    """A refused case is a line like the others."""
    good = json.loads(CASES.read_text("utf-8"))["cases"]
    mixed = [
        {"id": "a", "kind": "price", "input": {"game": "lototrot", "price": -1}},
        {"id": "caf\u00e9 \ud800", "kind": "\ud800", "input": {}},
        {"id": "b", "kind": "price", "input": {"game": "lototrot", "price": 50}},
    ]
    (tmp_path / "cases.json").write_text(json.dumps({"cases": good + mixed}))
    done = _whatif("cases.json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    expected = [{"id": case["id"], "output": case["expected"]} for case in good]
    assert answers[: len(good)] == expected
    answers = answers[len(good) :]
    codes = [answer.get("error", {}).get("code") for answer in answers]
    assert codes == ["out_of_range", "unknown_kind", None]
    assert answers[2] == {"id": "b", "output": True}


@pytest.mark.parametrize("content", [None, "{", "[]"])
def test_a_file_that_cannot_be_read_fails_clearly(
    tmp_path: Path, content: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cases.json"
    if content is not None:
        file.write_text(content)
    with pytest.raises(CommandError, match=r"cases\.json"):
        call_command("whatif", str(file))
    assert capsys.readouterr().out == ""


def test_a_command_that_fails_exits_with_one_and_one_line(tmp_path: Path) -> None:
    done = _whatif("cases.json", folder=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "cases.json" in done.stderr
    assert "Traceback" not in done.stderr

"""The shipped files are those that are written: one changed, missing or left over is named."""

import subprocess
from pathlib import Path

import pytest

from core.tools.deploying import __main__ as deploying
from core.tools.deploying.__main__ import FOLDER, files, main, stale


def test_the_shipped_files_are_what_is_written() -> None:
    assert stale(FOLDER) == []


def test_each_file_that_differs_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([], tmp_path) == 0
    assert {path.name for path in tmp_path.iterdir()} == files().keys()
    assert main(["--check"], tmp_path) == 0
    (tmp_path / "patroni.yml").write_text("scope: other\n")
    (tmp_path / "compose.yaml").unlink()
    (tmp_path / "lototrot-gone.service").write_text("[Service]\n")
    assert stale(tmp_path) == ["compose.yaml", "lototrot-gone.service", "patroni.yml"]
    assert main(["--check"], tmp_path) == 1
    assert "patroni.yml is not what" in capsys.readouterr().out


def test_nothing_written_has_a_secret() -> None:
    for name, text in files().items():
        assert "FILL-IN" not in text or name == "patroni.yml", name
        assert "://:" not in text.replace("redis://:${BROKER_PASSWORD:?}", ""), name


@pytest.mark.parametrize(("status", "count"), [(0, 0), (1, 1)])
def test_a_fault_that_a_linter_finds_ends_the_check(
    status: int, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\nexit {status}\n')
    program.chmod(0o755)
    monkeypatch.setattr(deploying, "tool", lambda _name, _folder: program)
    assert main(["--lint"]) == count
    first, second = (tmp_path / "asked").read_text().splitlines()
    assert first == f"--builtin-schema vendor.compose-spec {FOLDER}/compose.yaml"
    assert second == f"--strict {FOLDER}/kubernetes.yaml"


def test_linters_that_cannot_be_had_are_skipped_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def away(_name: str, _folder: Path) -> Path:
        raise subprocess.CalledProcessError(1, "pip")

    monkeypatch.setattr(deploying, "tool", away)
    assert main(["--lint"]) == 0
    assert "lint skipped: check-jsonschema" in capsys.readouterr().out

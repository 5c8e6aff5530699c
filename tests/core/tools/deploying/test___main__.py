"""The shipped files are those that are written: one changed, missing or left over is named."""

from pathlib import Path

import pytest

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

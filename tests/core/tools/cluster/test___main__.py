from pathlib import Path

import pytest

from core.tools.cluster.__main__ import main, new_folder


def test_a_folder_is_made_anew_with_what_it_links_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VAR_DIR", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = new_folder("cluster")
    (folder / "db1").symlink_to(elsewhere)
    (folder / "log").mkdir()
    assert list(new_folder("cluster").iterdir()) == []
    assert not elsewhere.exists()


def test_only_what_is_known_can_be_killed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--kill", "nobody"])
    assert "invalid choice" in capsys.readouterr().err

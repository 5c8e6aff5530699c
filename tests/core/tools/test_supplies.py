"""Read the report of the audit, and skip it where the list of known faults is out of reach."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from core.tools import supplies

REPORT = json.dumps(
    {
        "dependencies": [
            {"name": "one", "version": "1.0", "vulns": []},
            {"name": "two", "version": "2.0", "vulns": [{"id": "X-1", "fix_versions": ["2.1"]}]},
            {"name": "three", "version": "3", "vulns": [{"id": "X-2", "fix_versions": []}]},
        ]
    }
)
WORDS = ["two 2.0: X-1 (mended in 2.1)", "three 3: X-2 (mended in no version)"]


@pytest.mark.parametrize(
    ("report", "code", "message"),
    [
        (REPORT, 1, "\n".join(["audit: known faults", *WORDS])),
        ('{"dependencies": []}', 0, "audit: no known fault"),
        (
            "",
            0,
            "audit skipped: the list of known faults did not answer: requirements.production.lock",
        ),
    ],
)
def test_known_faults_fail_the_audit(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    report: str,
    code: int,
    message: str,
) -> None:
    monkeypatch.setattr(supplies, "reachable", lambda: True)
    monkeypatch.setattr(supplies, "tool", lambda name, folder: folder / name)
    done = subprocess.CompletedProcess([], 0, report)
    monkeypatch.setattr(supplies.subprocess, "run", lambda *_, **__: done)
    assert supplies.audit(tmp_path) == code
    assert capsys.readouterr().out.strip() == message


def test_whatever_an_image_installs_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    images = (supplies.ROOT / "docs" / "deploy").glob("Dockerfile*")
    installed = re.findall(r"-r ([\w.]+\.lock)", "".join(image.read_text() for image in images))
    assert {lock.name for lock in supplies.LOCKS.values()} == set(installed)
    asked: list[list[object]] = []

    def run(words: list[object], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(words)
        if "--output-file" in words:
            Path(str(words[-1])).write_text('{"components": []}')
        return subprocess.CompletedProcess([], 0, REPORT)

    monkeypatch.setattr(supplies, "reachable", lambda: True)
    monkeypatch.setattr(supplies, "tool", lambda name, folder: folder / name)
    monkeypatch.setattr(supplies.subprocess, "run", run)
    supplies.audit(tmp_path)
    assert set(supplies.LOCKS.values()) <= {word for words in asked for word in words}
    supplies.sbom(tmp_path, tmp_path / "lists")
    assert {path.name for path in (tmp_path / "lists").iterdir()} == set(supplies.LOCKS)


def test_out_of_reach_it_is_skipped_with_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert not supplies.reachable("http://127.0.0.1:1/")
    monkeypatch.setattr(supplies, "reachable", lambda: False)
    assert supplies.main(["audit"]) == 0
    assert capsys.readouterr().out.startswith("audit skipped")

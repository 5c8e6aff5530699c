"""Somebody who trusts nobody: keeps what is published in a folder and checks it there.

The scripts of verify/ run as they would anywhere else: they know nothing of this project.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from core.tools.embedded.server import ROOT
from core.tools.raceday.api import Api
from core.tools.raceday.show import step
from core.tools.raceday.stage import need


class Outsider:
    """A folder of published documents, and the organiser's public key as it was announced."""

    def __init__(self, api: Api, folder: Path) -> None:
        self.api = api
        self.folder = folder
        self.key: str = api.get("log/keys")["items"][0]["public_key"]

    def log(self) -> Path:
        """A copy of the whole public log."""
        return self._keep_log("log.jsonl", list(self.api.pages("log", limit=200)))

    def log_changed(self, kind: str, subject: str, name: str, change: Callable[[Any], Any]) -> Path:
        """A copy of which a stranger has changed one field of one document."""
        entries = list(self.api.pages("log", limit=200))
        (found,) = [each for each in entries if (each["kind"], each["subject"]) == (kind, subject)]
        found["document"][name] = change(found["document"][name])
        return self._keep_log("other-log.jsonl", entries)

    def _keep_log(self, name: str, entries: list[Any]) -> Path:
        lines = [json.dumps(each, ensure_ascii=False) for each in entries]
        return self.keep(name, "\n".join([*lines, ""]).encode())

    def keep(self, name: str, content: Any) -> Path:
        """A file of bytes, or of anything else as JSON."""
        path = self.folder / name
        whole = isinstance(content, bytes)
        text = content if whole else json.dumps(content, ensure_ascii=False).encode()
        path.write_bytes(text)
        return path

    def check(self, script: str, *words: Path | str) -> None:
        """Run a verifier, which must find nothing wrong; show what it says."""
        said, good = _run(script, words)
        need(good, f"verify/{script}: {said}")
        step(f"verify/{script}: {said}")

    def refuse(self, what: str, script: str, *words: Path | str) -> None:
        """Run a verifier on something changed, which it must refuse; show how."""
        said, good = _run(script, words)
        need(not good and said.startswith("REFUSED"), f"verify/{script} believes {what}: {said}")
        step(f"{what}: verify/{script} says {said}")


def _run(script: str, words: tuple[Path | str, ...]) -> tuple[str, bool]:
    done = subprocess.run(
        [sys.executable, str(ROOT / "verify" / script), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout + done.stderr).strip(), done.returncode == 0

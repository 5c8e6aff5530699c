"""Somebody who trusts nobody: keeps what is published in a folder and checks it there.

The scripts of verify/ run as they would anywhere else: they know nothing of this project.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from core.embedded.server import ROOT
from core.raceday.api import Api
from core.raceday.show import step
from core.raceday.stage import need


class Outsider:
    """A folder of published documents, and the organiser's public key as it was announced."""

    def __init__(self, api: Api, folder: Path) -> None:
        self.api = api
        self.folder = folder
        self.key: str = api.get("log/keys")["items"][0]["public_key"]

    def entry(self, name: str, kind: str, subject: str) -> Path:
        """An entry of the public log, kept as a file."""
        (found,) = self.api.get("log", kind=kind, subject=subject)["items"]
        return self.keep(f"{name}.json", found)

    def log(self) -> Path:
        """A copy of the whole public log."""
        lines = [json.dumps(each, ensure_ascii=False) for each in self.api.pages("log", limit=200)]
        return self.keep("log.jsonl", "\n".join([*lines, ""]).encode())

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
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return (done.stdout + done.stderr).strip(), done.returncode == 0

"""Check the published documents with the scripts of verify/, as an outsider would.

All documents are kept as files in a folder. The scripts import nothing of this project.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.tools.embedded.server import ROOT
from core.tools.raceday.api import Api
from core.tools.raceday.show import note, step
from core.tools.raceday.stage import need

AT_ONCE = 2


@dataclass(frozen=True, slots=True)
class Check:
    """A run of a script of verify/ with its arguments.

    `changed` says what was changed in the documents; empty where the script must agree.
    """

    script: str
    words: tuple[Path | str, ...]
    changed: str = ""


class Outsider:
    """A folder of published documents, and the organiser's public key."""

    def __init__(self, api: Api, folder: Path) -> None:
        self.api = api
        self.folder = folder
        self.key: str = api.get("log/keys")["items"][0]["public_key"]

    def log(self) -> Path:
        """Keep a copy of the public log; return its file."""
        return self._keep_log("log.jsonl", list(self.api.pages("log", limit=200)))

    def log_changed(
        self,
        kind: str,
        subject: str,
        field: str,
        change: Callable[[Any], Any],
        *,
        name: str = "other-log.jsonl",
    ) -> Path:
        """Keep a copy of the log in which one field of one document was changed."""
        entries = list(self.api.pages("log", limit=200))
        (entry,) = [e for e in entries if (e["kind"], e["subject"]) == (kind, subject)]
        entry["document"][field] = change(entry["document"][field])
        return self._keep_log(name, entries)

    def _keep_log(self, name: str, entries: list[Any]) -> Path:
        lines = [json.dumps(entry, ensure_ascii=False) for entry in entries]
        return self.keep(name, "\n".join([*lines, ""]).encode())

    def keep(self, name: str, content: Any) -> Path:
        """Keep bytes, or anything else as JSON, as a file; return it."""
        path = self.folder / name
        if not isinstance(content, bytes):
            content = json.dumps(content, ensure_ascii=False).encode()
        path.write_bytes(content)
        return path

    def check_all(self, checks: Iterable[Check]) -> None:
        """Run verifiers at the same time; each must find what the check expects. Print them."""
        checks = list(checks)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for check, (printed, good) in zip(checks, pool.map(_run, checks), strict=True):
                if check.changed:
                    refused = not good and printed.startswith("REFUSED")
                    need(refused, f"verify/{check.script} believes {check.changed}: {printed}")
                    step(
                        f"{check.changed[0].upper()}{check.changed[1:]}: {check.script} refuses it"
                    )
                    note(plain_words(printed.splitlines()[0]))
                else:
                    need(good, f"verify/{check.script}: {printed}")
                    step(f"{check.script} confirms:")
                    for line in printed.splitlines():
                        note(plain_words(line))


def plain_words(line: str) -> str:
    """Return a line that a script of verify/ printed, with amounts in euros and names as words."""
    line = line.removeprefix("REFUSED: ").replace("WHOLE: ", "Nothing is missing or changed: ")
    line = re.sub(r"^SEALED: ticket", "Sealed as ticket", line)
    line = line.replace(" EUR", " €")
    line = re.sub(r"(?<=\d)T(\d\d:\d\d)[\d:.]*Z", r" \1 (UTC)", line)
    return re.sub(r"(?<=[a-z])[._](?=[a-z])", " ", line)


def _run(check: Check) -> tuple[str, bool]:
    """Return what the verifier printed, and whether it found nothing wrong."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "verify" / check.script), *map(str, check.words)],
        capture_output=True,
        text=True,
        check=False,
    )
    return (done.stdout + done.stderr).strip(), done.returncode == 0

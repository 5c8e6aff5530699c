"""The demonstration's last chapter: the journal, verified by its commands and by strangers."""

import json
import subprocess
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

from core.embedded.server import ROOT
from core.kernel.days import day_bounds, natural_day
from core.raceday.show import heading, step
from core.raceday.stage import Chapter, Stage, need, register

PATIENCE_S = 60


def enter() -> None:
    """Put the journal's chapter into the demonstration."""
    register(Chapter(90, "the journal", _tell))


def _tell(stage: Stage) -> None:
    heading("Journal")
    day = natural_day(stage.now())
    auditor = stage.staff["aud1"]
    for name in ("lototrot.sale", "proposals_proposal_confirmation_post"):
        (act,) = auditor.get("journal/acts", name=name, limit=1)["items"]
        who = act["staff_name"] or f"terminal {act['terminal']}, operator {act['operator']}"
        step(f"act {act['act']}, {act['at']}: {name} by {who}")
    _, midnight = day_bounds(day)
    stage.another_day(midnight + timedelta(hours=8), "the next day")
    step(_checkpoint(stage, day))
    step(_said(stage, "journal_verify"))
    found = stage.staff["aud1"].get("journal/verification")
    need(not found["findings"], f"the journal was touched: {found['findings']}")
    with tempfile.TemporaryDirectory() as folder:
        _strangers(stage, Path(folder))


def _checkpoint(stage: Stage, day: date) -> str:
    """Wait until the day's checkpoint is in the public log."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        log = stage.staff["aud1"].get("log", kind="journal.checkpoint", subject=day.isoformat())
        entries = log["items"]
        if entries:
            found = entries[0]["document"]
            return (
                f"checkpoint of {found['day']} published: batch {found['batch']},"
                f" {found['entries']} entries, {found['acts']} acts"
            )
        time.sleep(0.5)
    need(False, f"no checkpoint of {day} was published")
    return ""


def _said(stage: Stage, *command: str) -> str:
    """The last line of a command of the system, which must succeed."""
    done = subprocess.run(
        [sys.executable, "manage.py", *command], cwd=ROOT, env=dict(stage.environment),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    need(not done.returncode, f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout.strip().splitlines()[-1]


def _strangers(stage: Stage, folder: Path) -> None:
    """Whoever has the export and the public log verifies them without the system."""
    journal, log = folder / "journal.jsonl", folder / "log.jsonl"
    _said(stage, "journal_export", str(journal))
    entries = list(stage.staff["aud1"].pages("log", limit=200))
    log.write_text("\n".join(json.dumps(entry) for entry in entries), "utf-8")
    key = entries[0]["document"]["public_key"]
    holds, said = _verifier(journal, log, key)
    need(holds, f"verify/journal.py refuses: {said}")
    step(f"verify/journal.py: {said}")

    lines = journal.read_text("utf-8").splitlines()
    number = next(n for n, line in enumerate(lines) if '"block"' in line and '"images"' not in line)
    row = json.loads(lines[number])
    row["entries"] = row["entries"][:-1] + ("0" if row["entries"][-1] != "0" else "1")
    lines[number] = json.dumps(row)
    journal.write_text("\n".join(lines), "utf-8")
    holds, said = _verifier(journal, log, key)
    need(not holds, "a copy with one row changed was not refused")
    step(f"of a copy with one row changed: {said}")


def _verifier(journal: Path, log: Path, key: str) -> tuple[bool, str]:
    done = subprocess.run(
        [sys.executable, ROOT / "verify" / "journal.py", journal, log, key],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return not done.returncode, (done.stdout or done.stderr).strip()

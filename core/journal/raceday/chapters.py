"""The demonstration's last chapter: the journal, verified by its commands and by strangers."""

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

import psycopg

from core.kernel.days import day_bounds, natural_day
from core.tools.embedded.server import ROOT
from core.tools.raceday.copy import database_copy
from core.tools.raceday.show import heading, step
from core.tools.raceday.stage import Chapter, Stage, need

PATIENCE_S = 60


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
    _tampered(stage)


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
    done = _run(stage.environment, *command)
    need(not done.returncode, f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout.strip().splitlines()[-1]


def _run(environment: Mapping[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )


def _strangers(stage: Stage, folder: Path) -> None:
    """Whoever has the export and the public log verifies them without the system."""
    journal, log = folder / "journal.jsonl", folder / "log.jsonl"
    _said(stage, "journal_export", str(journal))
    entries = list(stage.staff["aud1"].pages("log", limit=200))
    log.write_text("\n".join(json.dumps(entry) for entry in entries), "utf-8")
    key = entries[0]["document"]["public_key"]
    done = subprocess.run(
        [sys.executable, ROOT / "verify" / "journal.py", journal, log, key],
        capture_output=True,
        text=True,
        check=False,
    )
    need(not done.returncode, f"verify/journal.py refuses: {done.stdout}{done.stderr}")
    step(f"verify/journal.py: {done.stdout.strip()}")


def _tampered(stage: Stage) -> None:
    """One sealed ticket, changed in a copy by who owns the database: both verifiers say so."""
    with database_copy(stage.environment) as copied:
        ticket, contest = _ticket_changed(copied["DATABASE_OWNER_URL"])
        step(f"in a copy of the database, its owner changes the selections of ticket {ticket}:")
        for command, named in (
            ("journal_verify", f"row_changed: batch .*, lototrot_ticket {ticket}, "),
            ("seals_verify", f"contest {contest}: seal_unsound: "),
        ):
            done = _run(copied, command)
            found = re.search(f"^{named}.*", done.stdout, re.MULTILINE)
            need(
                found is not None and done.returncode == 1,
                f"{command} did not see it: {done.stdout}{done.stderr}",
            )
            step(f"{command}: {found[0][:120] if found else ''}")


def _ticket_changed(owner_url: str) -> tuple[int, int]:
    """A sealed ticket, whose first two races have changed places; its id and its contest's."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("ALTER TABLE lototrot_ticket DISABLE TRIGGER USER")
        changed = owner.execute(
            "UPDATE lototrot_ticket SET leg_1 = leg_2, leg_2 = leg_1 WHERE id ="
            " (SELECT t.id FROM lototrot_ticket t JOIN lototrot_seal USING (contest_id)"
            " WHERE leg_1 <> leg_2 ORDER BY t.id LIMIT 1) RETURNING id, contest_id"
        ).fetchone()
        owner.execute("ALTER TABLE lototrot_ticket ENABLE TRIGGER USER")
    need(changed is not None, "no sealed ticket has different selections in its first two races")
    return changed or (0, 0)


CHAPTERS: tuple[Chapter, ...] = (Chapter(90, "the journal", _tell),)

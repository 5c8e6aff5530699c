"""Tell the last chapter of the race day: verify the journal from inside and outside."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg

from core.kernel.days import day_bounds, natural_day
from core.tools.embedded.server import ROOT
from core.tools.raceday.copy import database_copy
from core.tools.raceday.outside import Check, Outsider
from core.tools.raceday.show import doing, heading, step
from core.tools.raceday.stage import Chapter, Stage, need, wait_for

PATIENCE_S = 60
_ACTS = {
    "lototrot.sale": "The last sale of a ticket",
    "proposals_proposal_confirmation_post": "The last confirmation by a second person",
}


def tell(stage: Stage) -> None:
    """Look up two acts, wait for a checkpoint, verify the journal and a changed copy."""
    heading("The journal: who did what, and whether anything was changed")
    day = natural_day(stage.now())
    auditor = stage.staff["aud1"]
    for name, words in _ACTS.items():
        (act,) = auditor.get("journal/acts", name=name, limit=1)["items"]
        who = act["staff_name"] or f"operator {act['operator']} at terminal {act['terminal']}"
        step(f"{words} is act {act['act']:,}, by {who}, on {act['at'][:10]}")
    _, midnight = day_bounds(day)
    stage.move_to(midnight + timedelta(hours=8), "the next day")
    doing("waiting for a checkpoint")
    step(_checkpoint(stage))
    doing("verifying the journal, an export of it, and a changed copy of the database")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(3) as pool:
        outsider = Outsider(stage.api, Path(folder))
        log = outsider.log()  # before the export, which then has every batch that the log names
        verified = pool.submit(_last_line, stage, "journal_verify")
        exported = pool.submit(
            _last_line, stage, "journal_export", str(outsider.folder / "journal")
        )
        changed = pool.submit(_tampered, stage)
        step(f"The system verifies its journal: {verified.result()}")
        report = auditor.get("journal/verification")
        need(not report["findings"], f"the journal was changed: {report['findings']}")
        exported.result()
        documents = (outsider.folder / "journal", log, outsider.key)
        outsider.check_all([Check("journal.py", documents)])
        for line in changed.result():
            step(line)


def _checkpoint(stage: Stage) -> str:
    """Wait until a checkpoint is in the public log; return the newest in words."""

    def look() -> dict[str, Any] | None:
        published = list(stage.staff["aud1"].pages("log", kind="journal.checkpoint"))
        return dict(published[-1]) if published else None

    checkpoint = wait_for(look, "a checkpoint of the journal", within_s=PATIENCE_S)
    return (
        f"The journal is published up to batch {checkpoint['document']['batch']:,}, as it was at"
        f" {checkpoint['at'][:16]}"
    )


def _last_line(stage: Stage, *command: str) -> str:
    """Run a command of the system, which must succeed; return the last line that it prints."""
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


def _tampered(stage: Stage) -> list[str]:
    """Change a sealed ticket in a copy of the database; return how both verifiers refuse it."""
    with database_copy(stage.environment) as copied, ThreadPoolExecutor(2) as pool:
        ticket, contest = _ticket_changed(copied["DATABASE_OWNER_URL"])
        findings = {
            "journal_verify": f"row_changed: batch .*, lototrot_ticket {ticket}, ",
            "seals_verify": f"contest {contest}: seal_unsound: ",
        }
        runs = pool.map(lambda command: _run(copied, command), findings)
        for (command, finding), done in zip(findings.items(), runs, strict=True):
            match = re.search(f"^{finding}", done.stdout, re.MULTILINE)
            need(
                match is not None and done.returncode == 1,
                f"{command} did not find it: {done.stdout}{done.stderr}",
            )
    return [
        f"In a copy of the database its owner changes the selections of ticket {ticket}:",
        "journal_verify finds that the row is not as it was written",
        f"seals_verify finds that the seal of contest {contest} does not hold",
    ]


def _ticket_changed(owner_url: str) -> tuple[int, int]:
    """Exchange the first two legs of a sealed ticket; return its id and the id of its contest."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        owner.execute("ALTER TABLE lototrot_ticket DISABLE TRIGGER USER")
        changed = owner.execute(
            "UPDATE lototrot_ticket SET leg_1 = leg_2, leg_2 = leg_1 WHERE id ="
            " (SELECT t.id FROM lototrot_ticket t JOIN lototrot_seal USING (contest_id)"
            " WHERE leg_1 <> leg_2 ORDER BY t.id LIMIT 1) RETURNING id, contest_id"
        ).fetchone()
        owner.execute("ALTER TABLE lototrot_ticket ENABLE TRIGGER USER")
    need(changed is not None, "no sealed ticket has different selections in its first two legs")
    return changed or (0, 0)


CHAPTERS: tuple[Chapter, ...] = (Chapter(90, "The journal", tell),)

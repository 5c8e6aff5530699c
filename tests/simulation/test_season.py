"""A season of meetings through the real services, held against an auditor who trusts none of them.

`make test` plays a small season, `make season` a hundred meetings with a line of progress now and
then, and leaves its figures in var/season.json. The seed is printed; `SEASON_SEED` plays a season
again, `SEASON_MEETINGS` makes it longer.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from random import Random

import pytest

from core.database.due_work import DueWork, due_work
from core.ledger.books import differences
from core.ledger.selectors import trial
from core.nights.jobs import Job, all_jobs
from core.statements.models import Statement
from core.tools.embedded.server import ROOT
from tests.support.contributing import contributed
from tests.support.databases import Database
from tests.support.season import world as season
from tests.support.season.world import World, at

SMALL, WHOLE = 8, 100
MEETINGS = int(os.environ.get("SEASON_MEETINGS") or SMALL)
KILLS = max(1, MEETINGS // 50)
AUDITED_EVERY = 25
PROGRESS_EVERY = 5
FIGURES = ROOT / "var" / "season.json"
AUDITS_ORDER = 90
_NIGHT = "import django; django.setup(); from core.nights.services import night_run; night_run()"


@pytest.fixture
def night_jobs() -> Iterator[list[Job]]:
    """Return the jobs of this process's nights, for the test to change."""
    jobs = all_jobs()
    with contributed("nightly", "JOBS", jobs), contributed("tasks", "DUE", _without_the_journal()):
        yield jobs


@pytest.mark.article("14.III.9.1", "14.III.9.5", "14.III.9.7", "14.III.10.2", "14.III.10.7")
def test_no_cent_is_apart_in_a_whole_season(
    own_database: Database,
    night_jobs: list[Job],
    record_property: Callable[[str, object], None],
) -> None:
    seed = int(os.environ.get("SEASON_SEED") or secrets.randbits(32))
    record_property("seed", f"SEASON_SEED={seed} SEASON_MEETINGS={MEETINGS}")
    print(f"SEASON_SEED={seed} SEASON_MEETINGS={MEETINGS}", flush=True)
    rng, began = Random(seed), time.monotonic()
    world = season.begin(rng, date(2030, 3, 4))
    kills = set(rng.sample(range(MEETINGS // 10 + 1, MEETINGS), KILLS))
    of_apps = list(night_jobs)
    day, held = world.begins, 0
    while held < MEETINGS:
        world.claims(day)
        if rng.random() < 0.9:
            world.meeting(day)
            held += 1
            _tell(world, held, began)
        day += timedelta(days=1)
        at(day, 0, 30)
        if held in kills:
            kills.discard(held)
            _killed(own_database, rng)
        elif rng.random() < 0.15:
            continue  # nobody ran the night: it is caught up with
        night_jobs[:] = _with_audits(of_apps, held % AUDITED_EVERY == 0)
        world.night()
        world.compare()
        if day.isoweekday() == 2:
            world.remit()
    _run_out(world, day, night_jobs, of_apps)
    assert world.counts["paid"] > 0
    if MEETINGS >= WHOLE:
        _write_figures(world, seed, began)
        assert world.counts["paid"] > MEETINGS
        kinds = ("deposited", "presented", "refused", "late")
        assert min(world.counts.get(kind, 0) for kind in kinds) > 0
        assert world.auditor.carried_over


def _tell(world: World, held: int, began: float) -> None:
    if held % PROGRESS_EVERY == 0:
        sold, paid = world.counts.get("sold", 0), world.counts.get("paid", 0)
        spent_s = time.monotonic() - began
        print(
            f"{held:4} of {MEETINGS} meetings, {sold} tickets sold, {paid} paid, {spent_s:.0f} s",
            flush=True,
        )


def _write_figures(world: World, seed: int, began: float) -> None:
    figures = {"seed": seed, "meetings": MEETINGS, "counts": dict(sorted(world.counts.items()))}
    figures["took_s"] = round(time.monotonic() - began, 1)
    FIGURES.parent.mkdir(exist_ok=True)
    FIGURES.write_text(json.dumps(figures, indent=2) + "\n")
    for name, number in sorted(world.counts.items()):
        print(f"{name:12} {number:6}", flush=True)


def _without_the_journal() -> list[DueWork]:
    """Sealing the journal is no matter of money, and has tests of its own."""
    return [work for work in due_work() if not work.task.name.startswith("core.journal")]


def _with_audits(of_apps: list[Job], wanted: bool) -> list[Job]:
    """Auditing every season from its first day each night would be most of the test."""
    return [job for job in of_apps if wanted or job.order != AUDITS_ORDER]


def _killed(database: Database, rng: Random) -> None:
    """A runner of the nights, killed somewhere; what it leaves is gone on with."""
    child = subprocess.Popen(
        [sys.executable, "-c", _NIGHT],
        env={**os.environ, **database.environment},
        stderr=subprocess.DEVNULL,
    )
    time.sleep(rng.uniform(0.8, 3.5))
    child.send_signal(signal.SIGKILL)
    child.wait(30)


def _run_out(world: World, day: date, night_jobs: list[Job], of_apps: list[Job]) -> None:
    """Nobody races any more: everything is claimed or lapses, and the books are audited whole."""
    for _ in range(35):
        world.claims(day)
        day += timedelta(days=1)
    at(day, 0, 30)
    night_jobs[:] = _with_audits(of_apps, False)
    world.night()
    at(day + timedelta(days=1), 0, 30)
    night_jobs[:] = _with_audits(of_apps, True)
    world.night()
    world.compare()
    assert trial().difference_cents == 0
    assert differences()[1] == []
    stated = {(str(s.premises_id), s.week_to): s.closing_cents for s in Statement.objects.all()}
    assert stated == {key: c for key, c in world.auditor.statements.items() if key in stated}
    assert len(stated) > 5

"""A season of both games through the real services, held against auditors who trust none of them.

Everything in `tests.support.season.incidents` goes wrong in it now and then. `make test` plays a
small season, `make season` a year of 150 meetings with a bar of progress, and leaves its figures in
var/season.json. The seed is printed; `SEASON_SEED` plays a season again, `SEASON_MEETINGS` makes it
longer.
"""

import os
import secrets
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from random import Random

import pytest

from core.database import clock
from core.database.clock import row_uuid
from core.database.due_work import DueWork, due_work
from core.ledger.books import differences
from core.ledger.models import Transfer
from core.ledger.selectors import trial
from core.nights.jobs import Job, all_jobs
from core.nights.nightly import JOURNAL_AUDIT
from core.tools.embedded.server import ROOT
from tests.support.contributing import contributed
from tests.support.databases import Database
from tests.support.season import world as season
from tests.support.season.incidents import INCIDENTS
from tests.support.season.replay import random_from
from tests.support.season.telling import Teller
from tests.support.season.world import World

SMALL, WHOLE = 8, 100
MEETINGS = int(os.environ.get("SEASON_MEETINGS") or SMALL)
IS_WHOLE = MEETINGS >= WHOLE
BEGINS = date(2031, 9, 15) if IS_WHOLE else date(2032, 2, 26)
"""A year with 29 February and both nights on which clocks change; or the days before both."""
MEETING_CHANCE = 0.41 if IS_WHOLE else 0.9
PLAY_CHANCE = 0.5 if IS_WHOLE else 0.9
EAGERNESS = 1.0 if IS_WHOLE else 3.0
AUDITED_EVERY = 25
AUDITS_ORDER = 90
RUN_OUT_DAYS, LAST_DAY_WITHIN = 35, 400
FIGURES = ROOT / "var" / "season.json"


@pytest.fixture
def night_jobs() -> Iterator[list[Job]]:
    """Return the jobs of this process's nights, for the test to change.

    The journal is not verified: factories write rows that no act made. It has tests of its own.
    """
    jobs = [job for job in all_jobs() if job.name != JOURNAL_AUDIT]
    with contributed("nightly", "JOBS", jobs), contributed("tasks", "DUE", _without_the_journal()):
        yield jobs


@pytest.mark.article("14.III.9.1", "14.III.9.5", "14.III.9.7", "14.III.10.2", "14.III.10.7")
def test_no_cent_is_apart_and_no_right_is_lost_in_a_whole_season(
    own_database: Database,
    night_jobs: list[Job],
    record_property: Callable[[str, object], None],
) -> None:
    seed = int(os.environ.get("SEASON_SEED") or secrets.randbits(32))
    record_property("seed", f"SEASON_SEED={seed} SEASON_MEETINGS={MEETINGS}")
    rng, teller = Random(seed), Teller(seed, MEETINGS)
    with random_from(Random(rng.getrandbits(64))):
        world = season.begin(
            rng,
            BEGINS,
            environment=own_database.environment,
            possible=INCIDENTS,
            eagerness=EAGERNESS,
            most_kills=max(1, MEETINGS // 15),
        )
        try:
            _run_out(world, _play(world, teller, night_jobs), night_jobs)
        finally:
            teller.end(world, FIGURES if IS_WHOLE else None)
    assert world.rights.lost() == []
    assert world.counts["paid"] > MEETINGS
    if IS_WHOLE:
        assert {incident.name for incident in INCIDENTS} <= {*world.incidents}
        kinds = ("deposited", "presented", "refused", "handed over")
        assert min(world.counts.get(kind, 0) for kind in kinds) > 0
        assert world.auditor.carried_over


def _play(world: World, teller: Teller, night_jobs: list[Job]) -> date:
    """Play the season's meetings. Return the day after the last one."""
    of_apps = list(night_jobs)
    day, held = world.begins, 0
    while held < MEETINGS:
        meeting = world.is_special(day) or world.happens(MEETING_CHANCE)
        world.day(day, meeting=meeting, play=meeting or world.happens(PLAY_CHANCE))
        held += meeting
        night_jobs[:] = _with_audits(of_apps, meeting and held % AUDITED_EVERY == 0)
        ran = world.end_day(day)
        day += timedelta(days=1)
        if ran and day.isoweekday() == 2:
            world.remit()
        if meeting:
            teller.progress(world, held)
    night_jobs[:] = of_apps
    return day


def _run_out(world: World, day: date, night_jobs: list[Job]) -> None:
    """Nobody races any more: everything is claimed or lapses, and the books are audited whole."""
    of_apps = list(night_jobs)
    night_jobs[:] = _with_audits(of_apps, False)
    left, latest = RUN_OUT_DAYS, day + timedelta(days=LAST_DAY_WITHIN)
    while left > 0 or world.waiting or world.due or world.held:
        world.day(day, meeting=False, play=False)
        world.end_day(day, missed=0.85)
        day += timedelta(days=1)
        left = RUN_OUT_DAYS if world.waiting else left - 1
        assert day < latest, "something waits for ever"
    night_jobs[:] = _with_audits(of_apps, True)
    world.end_day(day, missed=0)
    world.end_lototrot()
    assert trial().difference_cents == 0
    assert differences()[1] == []
    assert not world.statements_differ()
    behind = Transfer.objects.filter(reference__gt=row_uuid(clock.now()))
    assert [*behind.values_list("kind", flat=True).distinct()] == [], "these split full pages"


def _without_the_journal() -> list[DueWork]:
    """Sealing the journal is no matter of money, and has tests of its own."""
    return [work for work in due_work() if not work.task.name.startswith("core.journal")]


def _with_audits(of_apps: list[Job], wanted: bool) -> list[Job]:
    """Auditing every season from its first day each night would be most of the test."""
    return [job for job in of_apps if wanted or job.order != AUDITS_ORDER]

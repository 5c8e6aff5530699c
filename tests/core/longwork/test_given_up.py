"""A worker whose work was called cut off lives after all: it ends, and nothing it did is kept."""

from contextlib import closing

import pytest
import structlog
from django.db import connection
from structlog.testing import capture_logs

from core.database import clock
from core.database.reading import progress
from core.kernel.days import natural_day
from core.longwork import services
from core.longwork.kinds import Content, Outcome, kind_named
from core.longwork.services import work_ask, work_do
from core.nights.models import JobRun
from core.staff.powers import Role
from core.staff.two_persons import CONFIRMING
from tests.core.longwork.conftest import OWN, WHOLE, Bench
from tests.support import factories
from tests.support.databases import Database


def _cut_off(pk: int) -> None:
    """Call work cut off in another session, as the sweeper does."""
    with closing(connection.copy()) as other, other.cursor() as cursor:
        cursor.execute(
            "UPDATE longwork_longwork SET state = 'cut_off', fault = 'cut_off',"
            " ended_at = started_at WHERE id = %s",
            [pk],
        )


def test_work_that_was_called_cut_off_ends_at_its_next_step(
    own_database: Database, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached = []

    def goes_on(content: Content) -> Outcome:
        for number in (1, 2, 3):
            progress.step(f"step {number}", number, 3)
            reached.append(number)
            _cut_off(work.pk)
        return Outcome()

    bench.does = goes_on
    work = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    # A logger that has written a line keeps its settings, whatever captures later.
    monkeypatch.setattr(services, "log", structlog.get_logger("longwork"))
    with capture_logs() as logs:
        assert work_do(work.pk)
    assert reached == [1]
    assert [entry["event"] for entry in logs if entry["log_level"] == "warning"] == [
        "long work given up"
    ]
    assert not [entry for entry in logs if entry["log_level"] == "error"]
    work.refresh_from_db()
    assert (work.state, work.fault) == ("cut_off", services.CUT_OFF)


@pytest.mark.parametrize(("kind", "kept"), [(WHOLE, 0), (OWN, 1)])
def test_what_whole_work_did_is_undone_if_it_was_called_cut_off(
    own_database: Database, bench: Bench, kind: str, kept: int
) -> None:
    """Its session was lost: who sees that it was cut off does it again, and finds nothing done."""

    def writes(content: Content) -> Outcome:
        day = natural_day(clock.now())
        JobRun.objects.create(job="tests", day=day, state="running", started_at=clock.now())
        _cut_off(work.pk)
        return Outcome()

    bench.does = writes
    work = work_ask(kind=kind, by=factories.staff(Role.ORGANISER))
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, JobRun.objects.count()) == ("cut_off", kept)


def test_a_confirmation_is_whole_work() -> None:
    assert kind_named(CONFIRMING).whole

"""Close a month in its first instant, while somebody who began in it has not ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any

import psycopg
import pytest

from core.database import quiet
from core.journal.acting import acting
from core.kernel.days import day_bounds
from core.periods.models import ClosedPeriod
from core.periods.services import period_propose
from core.staff import two_persons
from core.staff.powers import Role
from tests.core.periods.conftest import closed, march_ended
from tests.support import factories
from tests.support.databases import Database


def test_a_month_waits_for_who_began_in_it_and_may_write_into_it_still(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quiet, "WITHIN_S", 0.2)
    with acting("tests"):
        march_ended()
        closed()
        closed()  # April
        organiser, auditor = factories.staff(Role.ORGANISER), factories.staff(Role.AUDITOR)
        with begun_in_may(own_database) as late:
            with pytest.raises(quiet.NotQuiet):
                period_propose(by=organiser)
            late.commit()
            proposal = period_propose(by=organiser)
        with begun_in_may(own_database), pytest.raises(quiet.NotQuiet):
            two_persons.confirm(proposal=proposal.uuid, by=auditor)
        with psycopg.connect(own_database.app_url) as after:
            after.execute("SELECT 1")  # it began in June: nobody waits for it
            two_persons.confirm(proposal=proposal.uuid, by=auditor)
    assert ClosedPeriod.objects.count() == 3


@contextmanager
def begun_in_may(database: Database) -> Iterator[psycopg.Connection[Any]]:
    """Open a transaction in the last second of May, and let June begin."""
    june = day_bounds(date(2030, 5, 31))[1]
    factories.time_to(june - timedelta(seconds=1))
    with psycopg.connect(database.app_url) as other:
        other.execute("SELECT 1")
        factories.time_to(june)
        yield other

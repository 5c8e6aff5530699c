"""Which rows of a retired month stay is published: as many other rows instead are named."""

from pathlib import Path

import pytest
from django.db import connections

from core.journal.verifying import Fault, verify
from core.periods.models import ClosedPeriod, RetiredRows
from lototrot.models.tickets import Ticket
from tests.core.periods.archive.conftest import forge, month_of, retired
from tests.core.periods.archive.test_retiring import TICKETS, found, removed
from tests.support.databases import Database


def execute(statement: str) -> None:
    with connections["owner"].cursor() as owner:
        owner.execute(statement)


WITHOUT_KEYS = f"""
DO $$ DECLARE c record; BEGIN
    FOR c IN SELECT conrelid::regclass AS of, conname FROM pg_constraint
              WHERE confrelid = '{TICKETS}'::regclass LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', c.of, c.conname);
    END LOOP; END $$
"""


@pytest.fixture
def period(own_database: Database) -> ClosedPeriod:
    """March 2030, closed: one contest, and three batches of the journal."""
    return month_of(batches=True)


def test_a_row_that_stays_is_not_exchanged_for_one_that_left(
    period: ClosedPeriod, tmp_path: Path
) -> None:
    """The owner brings a row back from the archive, and takes one that had to stay."""
    execute(f"CREATE SCHEMA kept; CREATE TABLE kept.tickets AS SELECT * FROM {TICKETS}")
    retired(period, tmp_path)
    assert found() == []  # rows that leave are still there
    removed()
    assert found() == []
    rows = RetiredRows.objects.get(relation=TICKETS)
    assert 0 < rows.leaves < rows.count
    stays = Ticket.objects.filter(pk__lte=rows.last_row).order_by("pk")[0].pk
    forge(TICKETS, f"UPDATE {TICKETS} SET bets = bets + 1 WHERE id = {stays}")
    assert (Fault.ROWS_DIFFER, TICKETS) in found()
    forge(TICKETS, f"UPDATE {TICKETS} SET bets = bets - 1 WHERE id = {stays}")
    assert found() == []
    execute(WITHOUT_KEYS)
    forge(TICKETS, f"DELETE FROM {TICKETS} WHERE id = {stays}")
    assert (Fault.ROWS_DIFFER, TICKETS) in found()  # fewer than were to stay
    here = f"SELECT id FROM {TICKETS} UNION SELECT {stays}"
    gone = f"(SELECT min(id) FROM kept.tickets WHERE id NOT IN ({here}))"
    forge(TICKETS, f"INSERT INTO {TICKETS} SELECT * FROM kept.tickets WHERE id = {gone}")
    for since, until in ((None, None), (None, period.last_batch), (1, None)):
        findings = verify(since=since, until=until).findings
        (named,) = (each for each in findings if each.what is Fault.ROWS_DIFFER)
        assert named.table == TICKETS and "of 2030-03" in named.detail

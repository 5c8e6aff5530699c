"""The rows of a retired month that stay are published: other rows in their stead are named."""

from pathlib import Path

from django.db import connections

from core.database import clock
from core.journal.services import last_batch
from core.journal.verifying import Fault, verify
from core.periods.models import ClosedPeriod, RetiredRows
from lototrot.models.tickets import PrintConfirmation, Ticket
from tests.core.periods.archive.conftest import forge, retired
from tests.core.periods.archive.conftest import sealed_month as sealed_month
from tests.core.periods.archive.test_retiring import PRINTS, TICKETS, removed, row_findings
from tests.support import factories
from tests.support.journaling import seal_all


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


def test_a_row_that_stays_is_not_exchanged_for_one_that_left(
    sealed_month: ClosedPeriod, tmp_path: Path
) -> None:
    """The owner brings a row back from the archive, and takes one that had to stay."""
    execute(f"CREATE SCHEMA kept; CREATE TABLE kept.tickets AS SELECT * FROM {TICKETS}")
    retired(sealed_month, tmp_path)
    assert row_findings() == []  # rows that leave are still there
    removed()
    assert row_findings() == []
    rows = RetiredRows.objects.get(relation=TICKETS)
    assert 0 < rows.leaves < rows.count
    stays = Ticket.objects.filter(pk__lte=rows.last_row).order_by("pk")[0].pk
    forge(TICKETS, f"UPDATE {TICKETS} SET bets = bets + 1 WHERE id = {stays}")
    assert (Fault.ROWS_DIFFER, TICKETS) in row_findings()
    forge(TICKETS, f"UPDATE {TICKETS} SET bets = bets - 1 WHERE id = {stays}")
    assert row_findings() == []
    execute(WITHOUT_KEYS)
    forge(TICKETS, f"DELETE FROM {TICKETS} WHERE id = {stays}")
    assert (Fault.ROWS_DIFFER, TICKETS) in row_findings()  # fewer than were to stay
    here = f"SELECT id FROM {TICKETS} UNION SELECT {stays}"
    gone = f"(SELECT min(id) FROM kept.tickets WHERE id NOT IN ({here}))"
    put = f"INSERT INTO {TICKETS} SELECT * FROM kept.tickets WHERE id = {{}}"
    forge(TICKETS, put.format(stays))
    assert row_findings() == []
    forge(TICKETS, put.format(gone))
    assert (Fault.ROWS_DIFFER, TICKETS) in row_findings()  # one is back that had left
    forge(TICKETS, f"DELETE FROM {TICKETS} WHERE id = {stays}")
    for since, until in ((None, None), (None, sealed_month.last_batch), (1, None)):
        findings = verify(since=since, until=until).findings
        (named,) = (each for each in findings if each.what is Fault.ROWS_DIFFER)
        assert named.table == TICKETS and "of 2030-03" in named.detail


def test_a_retirement_that_names_a_batch_too_late_is_found_by_the_number_of_rows(
    sealed_month: ClosedPeriod, tmp_path: Path
) -> None:
    """The owner takes a row that was not retired, with the entries of its batch, and says in the
    log that all rows of that batch were.
    """
    retired(sealed_month, tmp_path)
    removed()
    sold = factories.sell(factories.contest(), factories.point())
    PrintConfirmation.objects.create(ticket_id=sold.ticket_id, confirmed_at=clock.now())
    seal_all()
    assert row_findings() == []
    forge(PRINTS, f"DELETE FROM {PRINTS}")
    last = last_batch()
    assert last is not None
    lie = f"""
    UPDATE {{}} SET {{}} WHERE batch_id = {last.number} AND row_form_id =
        (SELECT id FROM journal_rowform WHERE relation = '{PRINTS}')
    """
    forge("journal_block", lie.format("journal_block", "short = NULL, entries = NULL"))
    place = f"""
    (SELECT (n - 1)::text
       FROM proofs_logentry, jsonb_array_elements(document -> 'tables') WITH ORDINALITY t(e, n)
      WHERE kind = 'periods.retired' AND e ->> 'table' = '{PRINTS}')
    """
    named = {each for each in row_findings() if each[1] == PRINTS}
    assert named == {(Fault.ROWS_DIFFER, PRINTS)}
    forge(
        "proofs_logentry",
        "UPDATE proofs_logentry SET document = jsonb_set(document, ARRAY['tables', "
        f"{place}, 'last_batch'], '{last.number}') WHERE kind = 'periods.retired'",
    )
    (differ,) = (each for each in verify(tables=[PRINTS]).findings if each.table == PRINTS)
    assert "4 rows were sealed that are not after it, and 3 were published" in differ.detail

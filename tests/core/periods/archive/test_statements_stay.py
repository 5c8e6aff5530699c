"""Nobody deletes another statement or payment, or changes a sum of those that left, unnoticed."""

from pathlib import Path

import pytest
from django.db import DatabaseError, transaction

from core.journal import rules
from core.journal.verifying import Fault
from core.periods.archive import removing, retiring
from core.periods.archive.removing import retired_remove
from core.periods.archive.retiring import RowsNotAsArchived, number
from core.periods.archive.tables import ArchiveTable
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from core.staff import two_persons
from core.staff.powers import Role
from core.statements import journal_rules
from core.statements import nightly as stating
from core.statements.models import Remittance, Statement
from tests.core.periods.archive.conftest import forge, retired
from tests.core.periods.archive.test_retiring import row_findings
from tests.core.periods.archive.test_statements_leave import (
    IN_PART,
    LATE,
    PAYMENTS,
    STATEMENTS,
    named,
    night,
    of_shop,
    sound,
)
from tests.core.periods.archive.test_statements_leave import june as june
from tests.core.periods.test_period_parts import _archive_with
from tests.support import factories, rounds
from tests.support.databases import refused
from tests.support.journaling import seal_all


def test_nobody_deletes_one_that_stays_or_retires_one_that_is_read(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    for table in (STATEMENTS, PAYMENTS):
        refused(f"DELETE FROM {table}", "append-only")
    retired(june, tmp_path)
    for table in (STATEMENTS, PAYMENTS):
        refused(f"DELETE FROM {table}", "append-only|its statement is there")
    settled = Remittance.objects.filter(reference="TRF 1/2030")[0]
    refused(f"DELETE FROM {PAYMENTS} WHERE id = {settled.pk}", "its statement is there")
    for shop in (IN_PART, LATE):
        refused(f"DELETE FROM {STATEMENTS} WHERE id = {of_shop(shop).pk}", "append-only")
    for table, model in ((STATEMENTS, Statement), (PAYMENTS, Remittance)):
        rows = RetiredRows.objects.get(relation=table)
        last = model.objects.filter(pk__gt=rows.last_row).order_by("pk")[0].pk
        count = rows.count + 1
        forge("periods_archive", _archive_with(table, last, count))
        forge("periods_retiredrows", f"DELETE FROM periods_retiredrows WHERE id = {rows.pk}")
        with pytest.raises(DatabaseError, match="one of them is still read"), transaction.atomic():
            rows.pk, rows.last_row, rows.count = None, last, count
            rows.last_batch = number(retiring._LAST_BATCH, table, last, june.last_batch)
            rows.save(force_insert=True)


def test_a_payment_changed_after_archiving_stops_the_retirement(
    june: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=june, folder=tmp_path)
    seal_all()
    by = factories.staff(Role.ORGANISER)
    proposal = retiring.retirement_propose(by=by, number=june.number, kept="Safe")
    paid = Remittance.objects.filter(reference="TRF 3/2030").get()
    forge(PAYMENTS, f"UPDATE {PAYMENTS} SET amount_cents = 282 WHERE id = {paid.pk}")
    with pytest.raises(RowsNotAsArchived) as stopped, transaction.atomic():
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    assert stopped.value.data["table"] == PAYMENTS
    assert not named(june)


def test_a_night_that_was_killed_goes_on(
    june: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    retired(june, tmp_path)
    step = removing._sealed_remove

    def killed(table: ArchiveTable, rows: RetiredRows) -> int:
        if table.name == PAYMENTS:
            raise KeyboardInterrupt
        return step(table, rows)

    with monkeypatch.context() as patch:
        patch.setattr(removing, "_sealed_remove", killed)
        with pytest.raises(KeyboardInterrupt):
            retired_remove()
    # Each statement left with its payments; only the entries of these wait.
    assert not Remittance.objects.filter(reference="TRF 1/2030").exists()
    sound()
    night()
    assert night() == 0
    sound()


@pytest.mark.parametrize(
    ("table", "change"),
    [
        ("statements_retiredstatements", "closings_cents = array_fill(7::bigint, ARRAY[2])"),
        ("statements_retiredstatements", "statements = ARRAY[5, 4]"),
        ("statements_retiredcommission", "commissions_cents = array_fill(1::bigint, ARRAY[2])"),
        ("statements_retiredremittances", "amounts_cents = ARRAY[1, 2]"),
        ("statements_retiredremittances", "movements = ARRAY[1, 2]"),
    ],
)
def test_a_sum_that_its_owner_changes_is_told(
    june: ClosedPeriod, tmp_path: Path, table: str, change: str
) -> None:
    retired(june, tmp_path)
    night()
    seal_all()
    forge(table, f"UPDATE {table} SET {change}")
    assert row_findings() == [(Fault.ROW_CHANGED, table)]
    if "cents" in change:
        with pytest.raises((AssertionError, stating.AccountsUnsound)):
            _counted()
    broken = any(rules.broken(journal_rules.LEFT_SUMMED))
    assert broken == change.startswith("statements")


def _counted() -> None:
    rounds.books_agree()
    stating.audit_everything()


def test_a_row_that_its_owner_deletes_besides_is_told(june: ClosedPeriod, tmp_path: Path) -> None:
    stays, paid = of_shop(IN_PART), Remittance.objects.get(reference="TRF 5/2030")
    retired(june, tmp_path)
    night()
    forge(STATEMENTS, f"DELETE FROM {STATEMENTS} WHERE id = {stays.pk}")
    assert (Fault.ROWS_DIFFER, STATEMENTS) in row_findings()
    forge(PAYMENTS, f"DELETE FROM {PAYMENTS} WHERE id = {paid.pk}")
    assert (Fault.ROW_REMOVED, PAYMENTS) in row_findings()
    with pytest.raises(AssertionError):
        rounds.books_agree()

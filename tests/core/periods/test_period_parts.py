"""Marks of balances leave when an opening stands in their place, and every debt is as before."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction
from pytest_django import DjangoDbBlocker

from core.journal import rules
from core.journal.acting import name_process
from core.ledger import openings
from core.periods.archive import retiring
from core.periods.archive.attaching import attach
from core.periods.archive.removing import entries_remove, retired_remove
from core.periods.archive.retiring import RowsNotAsArchived, number
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from core.statements import balances
from core.statements import nightly as stating
from core.statements.journal_rules import DRAWER, LIMIT, TILLS
from core.statements.models import Mark, MarkedBalance
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.core.periods.archive.conftest import forge, night_killed, retired
from tests.core.periods.archive.test_acts_leave import verified
from tests.core.periods.archive.test_retiring import confirm, leaving, proposed, row_findings
from tests.core.periods.conftest import march_closed
from tests.support import databases, factories, rounds
from tests.support.databases import refused
from tests.support.journaling import seal_all
from tests.support.stating import debts_now

MARKS, BALANCES = "statements_mark", "statements_markedbalance"


@pytest.fixture
def month(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ClosedPeriod]:
    """March 2030, closed, in a database of its own. The first mark is older than its settlement."""
    with django_db_blocker.unblock(), databases.restored(databases.prepared(_play)):
        name_process("command:period_archive")
        yield ClosedPeriod.objects.get()


def _play() -> None:
    put = rounds.sell

    def sell(of: Contest, at: factories.Point, tickets: Any) -> list[Ticket]:
        sold = put(of, at, tickets)
        balances.mark_make()
        return sold

    march_closed(sell)


def test_they_leave_before_the_opening_and_what_is_owed_is_as_before(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    first, second, *later = Mark.objects.order_by("up_to")
    debts = debts_now()
    assert first.balances.exists() and second.balances.exists() and any(debts.values())
    retired(month, tmp_path)
    named = {row.relation: row.leaves for row in RetiredRows.objects.all()}
    assert (named[MARKS], named[BALANCES]) == (2, 2)
    assert first.up_to < second.up_to == openings.newest() < later[0].up_to
    assert debts_now() == debts and first in Mark.objects.all()  # before the night
    assert retired_remove() == leaving() and retired_remove() == 0
    entries_remove()
    assert list(Mark.objects.order_by("up_to")) == later
    assert not MarkedBalance.objects.filter(mark__in=(first.pk, second.pk)).exists()
    assert debts_now() == debts
    assert balances.mark_differences() == [] and row_findings() == []
    assert stating.audit_everything().counts["statements"] > 0
    factories.sell(factories.contest(), factories.point())
    balances.mark_make()
    assert balances.mark_differences() == []
    assert not [rule.name for rule in (LIMIT, TILLS, DRAWER) if any(rules.broken(rule))]
    verified(tmp_path)
    schema = attach(tmp_path / "2030-03")
    with connection.cursor() as cursor:
        cursor.execute(
            f'SELECT m.up_to, b.debts_cents FROM "{schema}"."{MARKS}" m'
            f' JOIN "{schema}"."{BALANCES}" b ON b.mark_id = m.id'
        )
        assert {up_to for up_to, _ in cursor.fetchall()} == {first.up_to, second.up_to}


def test_nobody_deletes_one_or_retires_one_from_which_a_balance_is_summed(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    for table in (BALANCES, MARKS):
        refused(f"DELETE FROM {table}", "append-only|violates foreign key")
    retired(month, tmp_path)
    for table in (BALANCES, MARKS):
        refused(f"DELETE FROM {table}", "append-only|violates foreign key")
    needed = Mark.objects.order_by("up_to")[2]
    for table, last in ((MARKS, needed.pk), (BALANCES, needed.balances.order_by("pk")[0].pk)):
        rows = RetiredRows.objects.get(relation=table)
        count = rows.count + 1
        forge("periods_archive", _archive_with(table, last, count))
        forge("periods_retiredrows", f"DELETE FROM periods_retiredrows WHERE id = {rows.pk}")
        with pytest.raises(DatabaseError, match="is still summed"), transaction.atomic():
            rows.pk, rows.last_row, rows.count = None, last, count
            rows.last_batch = number(retiring._LAST_BATCH, table, last, month.last_batch)
            rows.save(force_insert=True)


def _archive_with(table: str, last: int, count: int) -> str:
    """Return the statement that lets the archive say that it has the rows of a table up to one."""
    entry = (
        f"jsonb_set(jsonb_set(e, '{{retires,last_row}}', '{last}'), '{{retires,rows}}', '{count}')"
    )
    return (
        "UPDATE periods_archive SET manifest = jsonb_set(manifest, '{tables}', (SELECT"
        f" jsonb_agg(CASE e ->> 'table' WHEN '{table}' THEN {entry} ELSE e END)"
        " FROM jsonb_array_elements(manifest -> 'tables') e))"
    )


def test_a_debt_changed_after_archiving_stops_the_retirement(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=month, folder=tmp_path)
    seal_all()
    proposal = proposed()
    first = Mark.objects.order_by("up_to")[0].balances.order_by("pk")[0]
    change = f"UPDATE {BALANCES} SET debts_cents = '%s' WHERE id = {first.pk}"
    forge(BALANCES, change % '{"1": 7}')
    with pytest.raises(RowsNotAsArchived) as stopped, transaction.atomic():
        confirm(proposal)
    assert stopped.value.data["table"] == BALANCES
    assert not RetiredRows.objects.exists()


def test_a_night_that_was_killed_between_a_mark_and_its_balances_goes_on(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    debts, marks = debts_now(), Mark.objects.count()
    retired(month, tmp_path)
    first = Mark.objects.order_by("up_to")[0]
    night_killed("_sealed_remove", MARKS)
    assert Mark.objects.count() == marks and not first.balances.exists()
    assert (debts_now(), balances.mark_differences()) == (debts, [])
    assert row_findings() == []
    assert retired_remove() > 0 and retired_remove() == 0
    assert Mark.objects.count() == marks - 2 and row_findings() == []

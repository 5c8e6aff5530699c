"""Declarations of display leave with the month of their contest, and none comes after them."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, connection, connections, transaction
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.journal.acting import name_process
from core.journal.models import Act
from core.kernel.days import add_days, natural_day
from core.ledger.openings import LedgerArchived
from core.periods.archive import removing
from core.periods.archive.attaching import attach
from core.periods.archive.removing import entries_remove, retired_remove
from core.periods.archive.retiring import RowsNotAsArchived
from core.periods.archive.tables import ArchiveTable
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from core.reports.days.day_file import write as day_write
from lototrot.models.contest import Contest, DisplayAcknowledgement
from lototrot.models.tickets import CodeGiven, Ticket
from lototrot.services.contest.contests import ContestClosed, display_acknowledge
from tests.core.periods.archive.conftest import retired
from tests.core.periods.archive.test_acts_leave import verified
from tests.core.periods.archive.test_retiring import confirm, forge, leaving, proposed, row_findings
from tests.core.periods.conftest import march_closed
from tests.support import databases, factories, rounds
from tests.support.databases import refused
from tests.support.journaling import seal_all

pytestmark = pytest.mark.article("14.III.5.2", "14.III.6.2")
DISPLAYS = "lototrot_displayacknowledgement"


@pytest.fixture
def month(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ClosedPeriod]:
    """March 2030, closed, in a database of this test: two terminals declared, and one in May."""
    with django_db_blocker.unblock(), databases.restored(databases.prepared(_play)):
        name_process("command:period_archive")
        yield ClosedPeriod.objects.get()


def _play() -> None:
    put = rounds.sell

    def sell(of: Contest, at: factories.Point, tickets: Any) -> list[Ticket]:
        for point in (at, factories.point()):
            display_acknowledge(by=point.actor, contest=of)
        return put(of, at, tickets)

    march_closed(sell)
    display_acknowledge(by=factories.point().actor, contest=factories.contest())


def of_march() -> Contest:
    return Contest.objects.order_by("day")[0]


def here() -> list[int]:
    """Return the contests of the declarations that are there, in order."""
    rows = DisplayAcknowledgement.objects.order_by("pk")
    return list(rows.values_list("contest_id", flat=True))


def test_they_leave_with_their_acts_and_are_in_the_archive(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    march, may = Contest.objects.order_by("day")
    with connections["owner"].cursor() as owner:
        owner.execute(f"SELECT journal_xid FROM {DISPLAYS} WHERE contest_id = %s", [march.pk])
        acts = [act for (act,) in owner.fetchall()]
    assert here() == [march.pk, march.pk, may.pk]
    retired(month, tmp_path)
    row = RetiredRows.objects.get(relation=DISPLAYS)
    assert (row.count, row.leaves) == (2, 2) and len(here()) == 3  # the night has not come yet
    assert retired_remove() == leaving() and retired_remove() == 0
    entries_remove()
    assert here() == [may.pk]
    assert len(acts) == 2 and not Act.objects.filter(xid__in=acts).exists()
    assert row_findings() == []
    verified(tmp_path)
    with gzip.open(tmp_path / "2030-03" / f"{DISPLAYS}.jsonl.gz", "rt") as file:
        assert [json.loads(line)["contest_id"] for line in file] == [march.pk] * 2
    schema = attach(tmp_path / "2030-03")
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT contest_id, terminal_id FROM "{schema}"."{DISPLAYS}"')
        assert len(set(cursor.fetchall())) == 2


def test_one_sent_again_returns_the_first_and_is_refused_when_that_left(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    first = DisplayAcknowledgement.objects.filter(contest=of_march())[0]
    late = factories.point().actor
    same = replace(late, terminal_id=first.terminal_id, operator_id=first.operator_id)
    assert display_acknowledge(by=same, contest=of_march()) == first
    with pytest.raises(ContestClosed):  # it would say that the poster hung before a sale
        display_acknowledge(by=late, contest=of_march())
    retired(month, tmp_path)
    retired_remove()
    with pytest.raises(ContestClosed):
        display_acknowledge(by=same, contest=of_march())
    draft = factories.contest(
        factories.meeting(day=add_days(natural_day(clock.now()), 1)), state=Contest.State.DRAFT
    )
    for contest in (of_march(), draft):
        with pytest.raises(IntegrityError, match="is not on sale"), transaction.atomic():
            DisplayAcknowledgement.objects.create(
                contest=contest,
                terminal_id=first.terminal_id,
                operator_id=first.operator_id,
                acknowledged_at=clock.now(),
            )
    assert row_findings() == []


def test_nobody_else_deletes_one_or_retires_one_of_a_contest_that_goes_on(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    everything = f"DELETE FROM {DISPLAYS}"
    refused(everything, "append-only")
    retired(month, tmp_path)
    refused(everything, "append-only")  # the one of May is among them
    refused(f"TRUNCATE {DISPLAYS}", "append-only")
    rows = RetiredRows.objects.get(relation=DISPLAYS)
    later = DisplayAcknowledgement.objects.order_by("-pk")[0].pk
    forge("periods_archive", _archive_with(later))
    forge("periods_retiredrows", f"DELETE FROM periods_retiredrows WHERE id = {rows.pk}")
    with pytest.raises(DatabaseError, match="is not finished"), transaction.atomic():
        rows.pk, rows.last_row, rows.count = None, later, 3
        rows.save(force_insert=True)


def _archive_with(last: int) -> str:
    """Return the statement that lets the archive say that it has the declarations up to one."""
    entry = f"jsonb_set(jsonb_set(e, '{{retires,last_row}}', '{last}'), '{{retires,rows}}', '3')"
    return (
        "UPDATE periods_archive SET manifest = jsonb_set(manifest, '{tables}', (SELECT"
        f" jsonb_agg(CASE e ->> 'table' WHEN '{DISPLAYS}' THEN {entry} ELSE e END)"
        " FROM jsonb_array_elements(manifest -> 'tables') e))"
    )


def test_one_changed_or_gone_after_archiving_stops_the_retirement(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=month, folder=tmp_path)
    seal_all()
    proposal = proposed()
    first = DisplayAcknowledgement.objects.order_by("pk")[0].pk
    changed = f"UPDATE {DISPLAYS} SET acknowledged_at = acknowledged_at + %s WHERE id = {first}"
    forge(DISPLAYS, changed.replace("%s", "interval '1 s'"))
    with pytest.raises(RowsNotAsArchived) as stopped, transaction.atomic():
        confirm(proposal)
    assert stopped.value.data["table"] == DISPLAYS and len(here()) == 3
    forge(DISPLAYS, changed.replace("%s", "interval '-1 s'"))
    confirm(proposal)
    assert retired_remove() == leaving() and len(here()) == 1


def test_a_night_that_was_killed_between_two_of_them_goes_on(
    month: ClosedPeriod, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    retired(month, tmp_path)
    step = removing._batches_remove

    def killed(table: ArchiveTable, first: int, last: int) -> int:
        removed = step(table, first, last)
        if table.name == DISPLAYS:
            raise KeyboardInterrupt
        return removed

    with monkeypatch.context() as patch:
        patch.setattr(removing, "AT_ONCE", 1)
        patch.setattr(removing, "_batches_remove", killed)
        with pytest.raises(KeyboardInterrupt):
            retired_remove()
    assert row_findings() == []
    assert retired_remove() > 0 and retired_remove() == 0
    assert len(here()) == 1 and row_findings() == []


def test_no_day_is_replayed_that_would_need_them(month: ClosedPeriod, tmp_path: Path) -> None:
    """Every ticket stays here, but nobody sells one before the display is declared."""
    for ticket in Ticket.objects.all():
        CodeGiven.objects.create(
            ticket=ticket, road="replay", operator=ticket.operator, given_at=clock.now()
        )
    sold_on = natural_day(Ticket.objects.all()[0].sold_at)
    assert day_write(sold_on, StringIO()) > 0
    retired(month, tmp_path)
    retired_remove()
    assert Ticket.objects.count() == 3 and len(here()) == 1
    with pytest.raises(LedgerArchived):
        day_write(sold_on, StringIO())

"""Tickets annulled as errors leave with their voids, and nothing is told otherwise afterwards."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, transaction
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.journal import rules
from core.journal.acting import name_process
from core.journal.models import Block
from core.journal.verifying import Fault
from core.kernel.days import natural_day
from core.ledger.books import differences
from core.payoffice.services.finding import by_uuid
from core.payoffice.sources import DocumentArchived
from core.periods.archive.attaching import attach, rows_about
from core.periods.archive.removing import retired_remove
from core.periods.archive.retiring import RowsNotAsArchived
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from core.staff.powers import Role
from core.statements.nightly import audit_everything
from lototrot import journal_rules
from lototrot.models.contest import Contest
from lototrot.models.retired import RetiredSales
from lototrot.models.tickets import CodeGiven, Ticket, Void
from lototrot.selectors.retired import Left, annulled_left, left
from lototrot.selectors.totals import voids_of
from lototrot.services.settlement.auditing import audit_contests
from tests.core.periods.archive.conftest import next_month_retired, night_killed, retired
from tests.core.periods.archive.test_acts_leave import verified
from tests.core.periods.archive.test_retiring import confirm, forge, leaving, proposed, row_findings
from tests.core.periods.conftest import closed, march_closed
from tests.lototrot.selectors.test_retired import TICKETS, accounts_of
from tests.support import databases, factories, rounds
from tests.support.databases import refused
from tests.support.history.acts import annul_last
from tests.support.journaling import seal_all
from tests.support.stating import days_end, rate

VOIDS = "lototrot_void"


def selling(of: Contest, at: factories.Point, masks: rounds.Masks) -> Ticket:
    """Sell one ticket and annul it as an error."""
    (ticket,) = rounds.sell(of, at, [masks])
    annul_last(of, 1)
    return ticket


@pytest.fixture
def month(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ClosedPeriod]:
    """March 2030, closed, in a database of this test: two of five tickets were annulled."""
    with django_db_blocker.unblock(), databases.restored(databases.prepared(_play)):
        name_process("command:period_archive")
        yield ClosedPeriod.objects.get()


def _play() -> None:
    """Two tickets of March won, one did not, and two were annulled before."""
    put = rounds.sell

    def sell(of: Contest, at: factories.Point, tickets: Any) -> list[Ticket]:
        sold = put(of, at, [(1, 1), (2, 6)])
        annul_last(of, 2)
        return [*sold, *put(of, at, tickets)]

    march_closed(sell)


def test_what_is_told_is_as_before(month: ClosedPeriod, tmp_path: Path) -> None:
    contest = Contest.objects.get()
    annulled = list(Ticket.objects.filter(void__reason=Void.Reason.ERROR).order_by("pk"))
    before, voids = accounts_of(contest), voids_of(contest)
    assert before["totals"].annulled_tickets == voids == len(annulled) == 2
    assert before["totals"].annulled_cents == 300 and before["ledger"][1] == []
    retired(month, tmp_path)
    assert (accounts_of(contest), voids_of(contest)) == (
        before,
        voids,
    )  # the night has not come yet
    named = {row.relation: (row.count, row.leaves) for row in RetiredRows.objects.all()}
    assert (named[TICKETS], named[VOIDS]) == ((5, 5), (2, 2))
    assert left(contest.pk) == Left(3, 3, 300, 2, 180, (1, 1))
    assert annulled_left(contest.pk) == 2
    assert retired_remove() == leaving()
    assert Void.objects.count() == 0 and Ticket.objects.count() == 0
    assert (accounts_of(contest), voids_of(contest)) == (before, voids)
    assert row_findings() == [] and retired_remove() == 0
    mine = {rule for rule in journal_rules.RULES if "retired" in rule.name or "sales" in rule.name}
    assert mine and [row for rule in mine for row in rules.broken(rule)] == []
    with pytest.raises(DocumentArchived):
        by_uuid("lototrot", annulled[0].uuid)
    verified(tmp_path)
    _need_archived(tmp_path, annulled[0])
    _other_sums_are_found()


def _need_archived(folder: Path, ticket: Ticket) -> None:
    attach(folder / "2030-03")
    tables = [table for table, _ in rows_about("2030-03", str(ticket.uuid))]
    assert {TICKETS, VOIDS} <= set(tables)


def _other_sums_are_found() -> None:
    forge("lototrot_retiredsales", "UPDATE lototrot_retiredsales SET annulled_cents[1] = 299")
    assert row_findings() == [(Fault.ROW_CHANGED, "lototrot_retiredsales")]
    forge("lototrot_retiredsales", "UPDATE lototrot_retiredsales SET annulled_tickets[1] = 1")
    assert [name for name, _, _ in rules.broken(journal_rules.LEFT)] == ["periods_retiredrows"]


def test_a_void_never_leaves_without_its_ticket(month: ClosedPeriod, tmp_path: Path) -> None:
    void = Void.objects.order_by("pk")[0]
    refused(f"DELETE FROM {VOIDS} WHERE id = {void.pk}", "append-only")
    retired(month, tmp_path)
    refused(f"DELETE FROM {VOIDS} WHERE id = {void.pk}", "its ticket is there")
    remove = f"SELECT periods_remove('{VOIDS}', 1, {void.pk + 9})"
    error = pytest.raises(DatabaseError, match="its ticket is there")
    with error, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(remove)
    assert Void.objects.count() == 2 and row_findings() == []
    _with_a_refund_due_it_stays(void)


def _with_a_refund_due_it_stays(void: Void) -> None:
    forge(
        VOIDS,
        f"UPDATE {VOIDS} SET reason = 'breach', operator_id = NULL,"
        f" proposal_id = (SELECT min(id) FROM staff_proposal) WHERE id = {void.pk}",
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT lototrot_void_leaves(v.id), lototrot_ticket_leaves(v.ticket_id)"
            " FROM lototrot_void v ORDER BY v.id"
        )
        assert cursor.fetchall() == [(False, False), (True, True)]


def test_a_void_that_is_gone_and_was_not_retired_is_named(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    seal_all()
    void = Void.objects.order_by("pk")[0]
    kept = f"CREATE TABLE kept AS SELECT * FROM {VOIDS} WHERE id = {void.pk}"
    with connections["owner"].cursor() as owner:
        owner.execute(kept)
    forge(VOIDS, f"DELETE FROM {VOIDS} WHERE id = {void.pk}")
    assert (Fault.ROW_REMOVED, VOIDS) in row_findings()
    forge(VOIDS, f"INSERT INTO {VOIDS} SELECT * FROM kept")
    with connections["owner"].cursor() as owner:
        owner.execute("DROP TABLE kept")
    CodeGiven.objects.create(
        ticket=void.ticket, road="replay", operator_id=void.operator_id, given_at=clock.now()
    )
    retired(month, tmp_path)
    assert retired_remove() == leaving()
    # Something names its ticket: it stays, and so does its void.
    assert list(Void.objects.values_list("pk", flat=True)) == [void.pk]
    assert row_findings() == []
    forge(VOIDS, f"DELETE FROM {VOIDS} WHERE id = {void.pk}")
    assert (Fault.ROWS_DIFFER, VOIDS) in row_findings()
    assert {each.check for each in audit_contests().findings} >= {"tickets", "takings_cents"}


def test_a_void_changed_after_archiving_stops_the_retirement(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=month, folder=tmp_path)
    seal_all()
    proposal = proposed()
    void = Void.objects.order_by("pk")[0]
    forge(VOIDS, f"UPDATE {VOIDS} SET note = note || 'x' WHERE id = {void.pk}")
    with pytest.raises(RowsNotAsArchived) as stopped, transaction.atomic():
        confirm(proposal)
    assert stopped.value.data["table"] == VOIDS
    forge(VOIDS, f"UPDATE {VOIDS} SET note = rtrim(note, 'x') WHERE id = {void.pk}")
    confirm(proposal)
    # Changed before the night: nothing of its part is deleted.
    forge(VOIDS, f"UPDATE {VOIDS} SET note = note || 'x' WHERE id = {void.pk}")
    with pytest.raises(RowsNotAsArchived):
        retired_remove()
    assert Void.objects.count() == 2 and Ticket.objects.count() == 5


def test_a_night_that_was_killed_before_the_entries_of_voids_left_goes_on(
    month: ClosedPeriod, tmp_path: Path
) -> None:
    """Voids leave in the statement of their tickets: their entries are written whole meanwhile."""
    contest = Contest.objects.get()
    before = accounts_of(contest)
    retired(month, tmp_path)
    leaves = leaving()
    night_killed("_batches_remove", VOIDS)
    whole = Block.objects.filter(row_form__relation=VOIDS).exclude(entries=None)
    assert Void.objects.count() == 0 and whole.exists() and leaves > 4
    assert accounts_of(contest) == before and row_findings() == []
    assert retired_remove() == 0 and not whole.exists()
    assert accounts_of(contest) == before and row_findings() == []


def test_a_void_that_is_retired_with_another_month_than_its_ticket_stays(
    own_database: databases.Database, tmp_path: Path
) -> None:
    factories.time_to(rounds.NOON)
    point, march = factories.point(), rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2)] * 2)
    day = march.day.replace(month=4)
    april = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2)] * 2, day=day)
    sold = [
        selling(march, point, (2, 2)),
        *rounds.sell(april, point, [(2, 2)]),  # here ends the range of March's tickets
        selling(march, point, (2, 2)),
        selling(april, point, (2, 2)),  # here ends that of its voids
        selling(march, point, (2, 2)),
    ]
    for contest in (march, april):
        rounds.sell(contest, point, [(2, 2)])
        rounds.run(contest, [rounds.Facts((1, 2), winners=frozenset({1}))] * 2)
        rounds.order(contest)
        factories.prints_ended(contest)
    days_end(110)
    for number, gone in ((1, [0]), (2, [0, 3, 4])):
        assert next_month_retired(tmp_path).number == number
        retired_remove()
        voids = set(Void.objects.values_list("ticket", flat=True))
        here = set(Ticket.objects.values_list("pk", flat=True))
        assert [i for i, ticket in enumerate(sold) if ticket.pk not in voids] == sorted([1, *gone])
        assert [i for i, ticket in enumerate(sold) if ticket.pk not in here] == sorted(
            [*gone, *([1] if number == 2 else [])]
        )
        assert audit_contests().findings == [] and row_findings() == [] and differences()[1] == []
    assert sum(sum(each.annulled_tickets) for each in RetiredSales.objects.all()) == 3
    assert voids_of(march) == 3 and voids_of(april) == 1


@pytest.mark.article("14.III.1.4")
def test_a_void_of_the_next_month_stays_as_its_week_takes_commission_back(
    own_database: databases.Database, tmp_path: Path
) -> None:
    """A meeting of Sunday, the last of the month, was on sale after midnight [B15, E13].

    The transfers of Monday's week stay, and its statement is counted again from them and the voids.
    """
    factories.time_to(datetime(2030, 3, 30, 12, tzinfo=UTC))
    rate(factories.staff(Role.ORGANISER), "10", since=date(2030, 3, 30))
    factories.time_to(datetime(2030, 3, 31, 21, 30, tzinfo=UTC))
    point, rules_of = factories.point(), rounds.rules(**rounds.TWO_LEGS)
    contest = rounds.contest(rules_of, [(1, 2)] * 2, day=date(2030, 3, 31))
    early = selling(contest, point, (2, 2))
    (late,) = rounds.sell(contest, point, [(2, 2)])
    factories.time_pass(minutes=40)
    annul_last(contest, 1)
    assert natural_day(late.void.voided_at) == date(2030, 4, 1)
    rounds.sell(contest, point, [(2, 2)])
    rounds.run(contest, [rounds.Facts((1, 2), winners=frozenset({1}))] * 2)
    rounds.order(contest)
    factories.prints_ended(contest)
    days_end(60)
    closed()
    name_process("command:period_archive")
    assert audit_everything().counts["statements"] > 0
    retired(ClosedPeriod.objects.get(), tmp_path)
    assert retired_remove() > 0
    assert audit_everything().counts["statements"] > 0 and row_findings() == []
    assert list(Void.objects.values_list("ticket", flat=True)) == [late.pk]
    assert not Ticket.objects.filter(pk=early.pk).exists()
    verified(tmp_path)

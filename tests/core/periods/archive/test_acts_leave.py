"""Acts of which every row left leave with their month; no other act does, and none unnoticed."""

import io
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

import pytest
from django.db import connection, connections, transaction
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.journal.acting import acting
from core.journal.export import export
from core.journal.models import Act
from core.journal.services import checkpoint_publish, last_batch
from core.journal.verifying import Fault, verify
from core.periods.archive import removing
from core.periods.archive.attaching import attach, rows_about
from core.periods.archive.retiring import RowsNotAsArchived, retirement_propose
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.tickets import CodeGiven, PrintConfirmation, Ticket
from tests.core.periods.archive import conftest
from tests.core.periods.archive.conftest import forge, retired
from tests.core.periods.archive.test_retiring import removed, row_findings
from tests.core.periods.conftest import march_closed
from tests.support import databases, factories, rounds
from tests.support.databases import Database, refused
from tests.support.journaling import meanwhile, seal_all
from tests.support.verifying.forging import Refused, public_key, published_log, written
from tests.support.verifying.load import verifier

ACTS = "journal_act"


def act_of(row: Ticket | PrintConfirmation) -> int:
    with connections["owner"].cursor() as owner:
        key = row._meta.pk.column
        query = f"SELECT journal_xid FROM {row._meta.db_table} WHERE {key} = %s"
        owner.execute(query, [row.pk])
        return int(owner.fetchone()[0])


def sold(of: Contest, point: factories.Point, numbers: list[tuple[int, ...]]) -> Ticket:
    """Sell a ticket as a terminal would, and print it: two acts."""
    with acting("lototrot.sale"):
        sale = factories.sell(of, point, numbers)
    with acting("lototrot.print"):
        PrintConfirmation.objects.create(ticket_id=sale.ticket_id, confirmed_at=clock.now())
    return Ticket.objects.get(pk=sale.ticket_id)


Sold = tuple[ClosedPeriod, dict[str, int]]


@pytest.fixture
def own_copy(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Database]:
    """A database of the test with March 2030, closed; this process plays that once."""
    with django_db_blocker.unblock(), databases.restored(_played()[0]) as copy:
        yield copy


@pytest.fixture
def month(own_copy: Database) -> Sold:
    """That month, and the acts of a ticket that stays and of one that leaves, by name."""
    return ClosedPeriod.objects.get(), _played()[1]


@pytest.fixture
def retired_copy(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Database]:
    """The same, archived in `tmp_path` and retired."""
    with (
        django_db_blocker.unblock(),
        conftest.retired_copy(_played()[0], tmp_path, tmp_path_factory) as copy,
    ):
        yield copy


@pytest.fixture
def acts(retired_copy: Database) -> dict[str, int]:
    """The acts of a ticket that stays and of one that leaves, by name, in that month."""
    return _played()[1]


@cache
def _played() -> tuple[str, dict[str, int]]:
    acts: dict[str, int] = {}
    put = rounds.sell

    def sell(of: Contest, at: factories.Point, tickets: object) -> list[Ticket]:
        # Who uses a name for the first time writes its source, and an act with a row stays.
        for name in ("lototrot.sale", "lototrot.print"):
            with acting(name), connection.cursor() as cursor:
                cursor.execute("SELECT journal_note()")
        for name, numbers in (("named", [(1,), (1,)]), ("lost", [(2,), (3,)])):
            ticket = sold(of, at, numbers)
            if name == "named":  # by a code given again: it stays
                CodeGiven.objects.create(
                    ticket=ticket, road="replay", operator=at.operator, given_at=clock.now()
                )
            acts[name] = act_of(ticket)
            acts[f"{name}.print"] = act_of(ticket.print_confirmation)
        return put(of, at, tickets)

    return databases.prepared(partial(march_closed, sell)), acts


def there() -> set[int]:
    return set(Act.objects.values_list("xid", flat=True))


def test_an_act_leaves_with_its_last_row_and_no_other_does(month: Sold, tmp_path: Path) -> None:
    period, acts = month
    before = there()
    refused(f"DELETE FROM {ACTS} WHERE journal_xid = {acts['lost']}", "append-only")
    retired(period, tmp_path)
    newest = max(there())
    # Retired, and its rows are there: the night takes them first.
    refused(f"DELETE FROM {ACTS} WHERE journal_xid = {acts['lost']}", "a row of it is there")
    refused(f"DELETE FROM {ACTS} WHERE journal_xid = {newest}", "append-only")
    removed()
    gone = before - there()
    assert {acts["lost"], acts["lost.print"], acts["named.print"]} <= gone
    assert acts["named"] not in gone
    rows = RetiredRows.objects.get(relation=ACTS)
    assert len(gone) == rows.leaves < rows.count
    refused(f"DELETE FROM {ACTS} WHERE journal_xid = {acts['named']}", "a row of it is there")
    assert row_findings() == []
    for since, until in ((None, 1), (1, 2), (2, None)):
        parts = verify(since=since, until=until).findings
        assert [each for each in parts if each.what is not Fault.RULE] == []
    assert removed() == 0
    attach(tmp_path / "2030-03")
    ticket = Ticket.objects.get(pk__in=_tickets_of(acts["named"]))
    table_names = [table for table, _ in rows_about("2030-03", str(ticket.uuid))]
    assert ACTS in table_names


def _tickets_of(act: int) -> list[int]:
    with connections["owner"].cursor() as owner:
        owner.execute("SELECT id FROM lototrot_ticket WHERE journal_xid = %s", [act])
        return [ident for (ident,) in owner.fetchall()]


def test_an_act_that_is_gone_besides_is_named(acts: dict[str, int], tmp_path: Path) -> None:
    removed()
    seal_all()
    last = RetiredRows.objects.get(relation=ACTS).last_row
    later = Act.objects.filter(xid__gt=last).order_by("xid")[0].xid
    forge(ACTS, f"DELETE FROM {ACTS} WHERE journal_xid = {acts['named']}")
    # Its row has no act, and more acts are gone than were to leave.
    names = row_findings()
    assert (Fault.ROW_WITHOUT_ACT, "lototrot_ticket") in names
    assert (Fault.ROWS_DIFFER, ACTS) in names
    forge(ACTS, f"DELETE FROM {ACTS} WHERE journal_xid = {later}")
    assert (Fault.ROW_REMOVED, ACTS) in row_findings()
    with pytest.raises(Refused, match=r"batch \d+\.blocks\[\d+\]: not the block before it"):
        verified(tmp_path)


def test_journal_and_archive_are_verified_without_the_acts(
    acts: dict[str, int], tmp_path: Path
) -> None:
    removed()
    verified(tmp_path)
    forge(ACTS, f"DELETE FROM {ACTS} WHERE journal_xid = {acts['named']}")
    with pytest.raises(
        Refused, match=r"periods\.retired, journal_act from 1: \d+ rows stay, \d+ are there"
    ):
        verified(tmp_path)
    with pytest.raises(Refused, match="no retirement of journal_act names its batch"):
        verified(tmp_path, without="periods.retired")


def verified(folder: Path, without: str = "") -> None:
    """Check the exported journal and the archive by `verify/`."""
    seal_all()
    last = last_batch()
    assert last is not None
    checkpoint_publish(number=last.number)
    exported = io.StringIO()
    export(exported)
    path = folder / "journal"
    path.write_text(exported.getvalue(), "utf-8")
    files = (written(folder, "log.jsonl", published_log()), public_key())
    journal = verifier("journal")
    if without:
        log = journal.Log(*files)
        journal.Journal(journal.keys_in_force(log), journal.Retired([])).read(str(path))
    assert "WHOLE" in journal.check(str(path), *files)
    verdict = verifier("archive").check(str(folder / "2030-03"), *files)
    assert "it is the archive of which rows were retired" in verdict


def test_an_act_changed_or_added_after_archiving_stops_the_retirement(
    month: Sold, tmp_path: Path
) -> None:
    period, acts = month
    archive_write(period=period, folder=tmp_path)
    seal_all()
    by = factories.staff(Role.ORGANISER)
    proposal = retirement_propose(by=by, number=period.number, kept="Safe of the Central Office")
    lost = f"WHERE journal_xid = {acts['lost']}"
    auditor = factories.staff(Role.AUDITOR)
    for touch, back in (
        (
            f"UPDATE {ACTS} SET request_id = request_id || 'x' {lost}",
            f"UPDATE {ACTS} SET request_id = rtrim(request_id, 'x') {lost}",
        ),
        (
            f"INSERT INTO {ACTS} SELECT (jsonb_populate_record(a, jsonb_build_object("
            f"'journal_xid', 7))).* FROM {ACTS} a {lost}",
            f"DELETE FROM {ACTS} WHERE journal_xid = 7",
        ),
    ):
        forge(ACTS, touch)
        with pytest.raises(RowsNotAsArchived) as stopped, transaction.atomic():
            two_persons.confirm(proposal=proposal.uuid, by=auditor)
        assert stopped.value.data["table"] == ACTS
        forge(ACTS, back)
    assert removed() == 0
    two_persons.confirm(proposal=proposal.uuid, by=auditor)
    assert removed() > 0


def test_a_night_that_was_killed_between_acts_goes_on(
    retired_copy: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaves = sum(RetiredRows.objects.values_list("leaves", flat=True))
    whole, done = removing._batches_remove, 0

    def killed(table: removing.ArchiveTable, first: int, last: int) -> int:
        nonlocal done
        if table.name == ACTS and done == 2:
            raise KeyboardInterrupt
        done += table.name == ACTS
        return whole(table, first, last)

    monkeypatch.setattr(removing, "AT_ONCE", 5)
    with monkeypatch.context() as patch:
        patch.setattr(removing, "_batches_remove", killed)
        with pytest.raises(KeyboardInterrupt):
            removed()
    assert done == 2 and row_findings() == []
    assert 0 < removed() < leaves
    assert row_findings() == [] and removed() == 0


def test_acts_that_leave_while_the_journal_is_verified_are_no_finding(
    acts: dict[str, int],
) -> None:
    seal_all()
    with meanwhile("['journal_act']", removed):  # its columns: its rows come next
        assert row_findings() == []
    assert acts["lost"] not in there()


def test_a_restored_backup_of_before_the_night_gives_the_rows_up_again(
    acts: dict[str, int], tmp_path: Path, retired_copy: Database
) -> None:
    seal_all()
    leaves = sum(RetiredRows.objects.values_list("leaves", flat=True))
    with databases.restored(retired_copy.name):  # the system that goes on, and is lost then
        assert removed() == leaves
        assert acts["lost"] not in there()
    with databases.restored(retired_copy.name):
        assert acts["lost"] in there()
        assert row_findings() == []
        assert removed() == leaves
        assert acts["lost"] not in there()
        assert row_findings() == [] and removed() == 0
        verified(tmp_path)

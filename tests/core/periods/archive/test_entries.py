"""Sealed entries of a retired month leave; the rows give them again, and nothing goes unnoticed."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pytest
from django.db import DatabaseError, transaction
from pytest_django import DjangoDbBlocker

from core.journal import spans
from core.journal.export import export
from core.journal.models import Batch, Block
from core.journal.services import checkpoint_publish, last_batch
from core.journal.verifying import Fault, verify
from core.periods.archive import removing
from core.periods.archive.naming import rows_named
from core.periods.archive.removing import entries_remove
from core.periods.archive.retiring import RowsNotAsArchived
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod, RetiredRows
from tests.core.periods.archive.conftest import month_of, played, retired_copy
from tests.core.periods.archive.test_retiring import (
    PRINTS,
    TICKETS,
    confirm,
    forge,
    leaving,
    proposed,
    removed,
    row_findings,
)
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, meanwhile, seal_all, touched
from tests.support.verifying.forging import (
    Refused,
    forged,
    public_key,
    published_log,
    written,
)
from tests.support.verifying.load import verifier


def retired(period: ClosedPeriod, folder: Path) -> None:
    """Archive the month and retire it; the night has not come yet."""
    archive_write(period=period, folder=folder)
    seal_all()
    confirm(proposed())


def left() -> set[tuple[int, str]]:
    """Return batch and table of the blocks whose entries left."""
    gone = Block.objects.filter(entries=None, short=None).select_related("row_form")
    return {(block.batch_id, block.row_form.relation) for block in gone}


def table_of(statement: str) -> str:
    words = statement.split()
    return words[1] if words[0] == "UPDATE" else words[2]


def forced(statement: str) -> None:
    """Execute a statement as the owner, with the triggers of its table disabled meanwhile."""
    forge(table_of(statement), statement)


@pytest.fixture(scope="module")
def gone(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Database]:
    """A month whose entries left, for tests that undo what they do; they act as the owner."""
    folder = tmp_path_factory.mktemp("archive")
    with (
        django_db_blocker.unblock(),
        retired_copy(played(True), folder, tmp_path_factory) as database,
    ):
        removed()
        with as_owner(database):
            yield database


def test_entries_leave_by_the_retirement_and_the_rows_prove_themselves(
    sealed_month: ClosedPeriod, tmp_path: Path
) -> None:
    assert sealed_month.last_batch == 3
    assert row_findings() == []
    before = Block.objects.filter(batch_id__lte=3).count()
    retired(sealed_month, tmp_path)
    assert left() == set() and row_findings() == []
    assert removed() == leaving()
    kept = Block.objects.filter(batch_id__lte=3)
    assert set(RetiredRows.objects.values_list("last_batch", flat=True)) == {3}
    assert not kept.exclude(entries=None, short=None).exists()
    assert len(left()) == before and max(left())[0] == 3
    assert row_findings() == []
    for since, until in ((None, 1), (1, 2), (1, 3), (2, None)):
        assert [each for each in verify(since=since, until=until).findings if each.batch] == []
    assert entries_remove() == 0
    _verified_from_outside(tmp_path)
    seal_all()
    assert row_findings() == []


def _verified_from_outside(folder: Path) -> None:
    last = last_batch()
    assert last is not None
    checkpoint_publish(number=last.number)
    seal_all()
    log = published_log()
    files = written(folder, "log.jsonl", log), public_key()

    def verdict() -> str:
        exported = StringIO()
        export(exported)
        (folder / "journal").write_text(exported.getvalue(), "utf-8")
        verdict: str = verifier("journal").check(str(folder / "journal"), *files)
        return verdict

    assert "WHOLE" in verdict()
    assert "WHOLE" in verifier("archive").check(str(folder / "2030-03"), *files)
    (document,) = (entry["document"] for entry in log if entry["kind"] == "periods.retired")
    for lie in ({"batch": 2}, {"digest": "00" * 32}, {"batch": 99}):
        other = forged(log, "periods.retired", document | {"journal": document["journal"] | lie})
        liar = written(folder, "lie.jsonl", other), public_key()
        with pytest.raises(Refused, match=r"periods\.retired 2030-03, journal"):
            verifier("journal").check(str(folder / "journal"), *liar)
        with pytest.raises(Refused, match=r"journal|closing_sha256"):
            verifier("archive").check(str(folder / "2030-03"), *liar)
    forced("UPDATE lototrot_settlementcategory SET prize_cents = prize_cents + 1 WHERE id = 1")
    with pytest.raises(Refused, match="not the block before it"):
        verdict()
    forced("UPDATE lototrot_settlementcategory SET prize_cents = prize_cents - 1 WHERE id = 1")


OF_SEALS = (
    "batch_id = 2 AND row_form_id ="
    " (SELECT id FROM journal_rowform WHERE relation = 'lototrot_seal')"
)
Named = set[tuple[Fault, int | None, str]]
TOUCHES: list[tuple[str, Named]] = [
    (
        "UPDATE lototrot_seal SET bets = bets + 1 WHERE id = 1",
        {(Fault.ROWS_DIFFER, 2, "lototrot_seal")},
    ),
    (
        "UPDATE lototrot_ticket SET bets = bets + 1 WHERE id = 2",
        {(Fault.ROWS_DIFFER, None, "lototrot_ticket")},
    ),
    (  # it had to stay, and nothing is kept of its entry
        "DELETE FROM journal_act WHERE journal_xid = (SELECT min(journal_xid) FROM journal_act)",
        {(Fault.ROWS_DIFFER, None, "journal_act")},
    ),
    (  # put in, by a transaction of such a batch, with a key that was retired
        "INSERT INTO lototrot_printconfirmation (ticket_id, confirmed_at, journal_xid)"
        " SELECT t.id, t.sold_at, t.journal_xid FROM lototrot_ticket t WHERE t.id = 2",
        {(Fault.ROWS_DIFFER, None, PRINTS)},
    ),
    (  # put in, with a key that was not retired
        "INSERT INTO lototrot_printconfirmation (ticket_id, confirmed_at, journal_xid)"
        " SELECT -t.id, t.sold_at, (SELECT min(journal_xid) FROM lototrot_settlement)"
        " FROM lototrot_ticket t WHERE t.id = 2",
        {(Fault.ROW_ADDED, None, PRINTS)},
    ),
    (
        "UPDATE journal_block SET sha256 = sha256('x') WHERE batch_id = 2 AND row_form_id ="
        " (SELECT id FROM journal_rowform WHERE relation = 'lototrot_ticket')",
        {(Fault.BATCH, 2, "")},
    ),
    (  # a month that nobody retired yet
        "UPDATE journal_block SET short = NULL WHERE batch_id = 4 AND row_form_id ="
        " (SELECT id FROM journal_rowform WHERE relation = 'journal_act')",
        {(Fault.BATCH, 4, "")},
    ),
    (
        "DELETE FROM lototrot_settlementcategory WHERE id = 1",
        {(Fault.ROWS_DIFFER, 2, "lototrot_settlementcategory")},
    ),
    (
        "UPDATE lototrot_settlementcategory SET journal_xid = (SELECT first_xid FROM journal_batch"
        " WHERE number = 2) WHERE id = 1",
        {(Fault.ROWS_DIFFER, 2, "lototrot_settlementcategory")},
    ),
    (
        # A transaction of batch 3. Its `first_xid` may be another database's, which is still open.
        "UPDATE premises_operatorsession SET journal_xid ="
        " (SELECT min(journal_xid) FROM statements_markedbalance)",
        {
            (Fault.ROWS_DIFFER, 1, "premises_operatorsession"),
            (Fault.ROW_ADDED, None, "premises_operatorsession"),
        },
    ),
    (
        "UPDATE journal_block SET short = NULL WHERE batch_id = 4",
        {(Fault.BATCH, 4, "")},
    ),
    (
        f"UPDATE journal_block SET sha256 = sha256('x') WHERE {OF_SEALS}",
        {(Fault.BATCH, 2, ""), (Fault.ROWS_DIFFER, 2, "lototrot_seal")},
    ),
    (
        f"DELETE FROM journal_block WHERE {OF_SEALS}",
        {(Fault.BATCH, 2, ""), (Fault.ROW_ADDED, None, "lototrot_seal")},
    ),
]


@pytest.mark.parametrize("most", [spans.MOST_SORTED, 1])
def test_what_is_touched_after_the_entries_left_is_named(
    gone: Database, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Verify the touched and the named tables alone where each batch is compared alone.

    The faults asked for are of these tables. The other case looks at all tables.
    """
    monkeypatch.setattr(spans, "MOST_SORTED", most)
    for touch, names in TOUCHES:
        tables = {table_of(touch), *(table for _, _, table in names if table)}
        with touched(table_of(touch)):
            assert execute(touch) > 0
            findings = verify(tables=tables if most == 1 else ()).findings
        assert names <= {(each.what, each.batch, each.table) for each in findings}, touch
    assert row_findings() == []


def test_nobody_takes_entries_that_were_not_retired(
    sealed_month: ClosedPeriod, tmp_path: Path
) -> None:
    def take(of: str) -> None:
        blocks = Block.objects.filter(row_form__relation=of, batch_id__gte=2)
        blocks.update(entries=None, short=None)

    refused = pytest.raises(DatabaseError, match=r"not retired|only entries|a row that leaves")
    with refused, transaction.atomic():
        take("lototrot_seal")
    retired(sealed_month, tmp_path)
    for of in (
        PRINTS,
        TICKETS,
        "journal_act",
    ):  # rows of the first leave; acts are in a later batch, too
        with refused, transaction.atomic():
            take(of)
    for other in ({"entries": b"x" * 48}, {"sha256": b"x" * 32}, {"rows": 1}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Block.objects.filter(batch_id=2).update(**other)
    assert left() == set()


def test_a_month_that_is_not_as_it_was_sealed_is_not_retired(
    sealed_month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=sealed_month, folder=tmp_path)
    seal_all()
    proposal = proposed()
    of_block = Block.objects.get(pk=2).row_form.relation
    for table, touch, back, named in (
        (TICKETS, "bets = bets + 1", "bets = bets - 1", TICKETS),
        (
            "journal_block",
            "short = short || 'x'",
            "short = substr(short, 1, length(short) - 1)",
            of_block,
        ),
    ):
        forced(f"UPDATE {table} SET {touch} WHERE id = 2")
        with pytest.raises(RowsNotAsArchived) as raised, transaction.atomic():
            confirm(proposal)
        assert raised.value.data["table"] == named
        forced(f"UPDATE {table} SET {back} WHERE id = 2")
    confirm(proposal)


def test_a_night_that_ends_in_the_middle_is_finished_by_the_next(
    sealed_month_retired: ClosedPeriod, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The month's last batch has only a mark, whose entry leaves with it."""
    monkeypatch.setattr(removing, "BATCHES_AT_ONCE", 1)
    with monkeypatch.context() as patch:
        patch.setattr(removing, "transaction", SimpleNamespace(atomic=ends_after(1)))
        with pytest.raises(KeyboardInterrupt):
            entries_remove()
    assert {batch for batch, _ in left()} == {1}
    assert row_findings() == []
    assert entries_remove() > 0
    assert {batch for batch, _ in left()} == {1, 2}
    assert row_findings() == []


def ends_after(times: int) -> Callable[[], AbstractContextManager[None]]:
    """Return what begins so many transactions, and then ends the process."""
    begun = 0

    def begin() -> AbstractContextManager[None]:
        nonlocal begun
        begun += 1
        if begun > times:
            raise KeyboardInterrupt
        return transaction.atomic()

    return begin


def test_entries_that_leave_while_the_journal_is_verified_are_no_finding(
    sealed_month: ClosedPeriod, tmp_path: Path
) -> None:
    archive_write(period=sealed_month, folder=tmp_path)
    seal_all()
    proposal = proposed()
    seal_all()

    def retire() -> None:
        confirm(proposal)
        removed()

    with meanwhile("['lototrot_ticket']", retire):  # its columns: its rows come next
        assert row_findings() == []
    assert left()


def test_a_transaction_that_ended_late_is_of_the_batch_that_sealed_it(
    own_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(own_database.app_url) as late:
        late.execute("SELECT set_config('core.act', 'command:late', false), pg_current_xact_id()")
        factories.time_to(rounds.NOON - timedelta(hours=1))  # before the month's batches
        seal_all()
        late.execute(
            "INSERT INTO proofs_receiver (address, delivered_sequence, failures, last_error)"
            " VALUES ('/late', 0, 0, '')"
        )
    month = month_of(batches=True)
    assert Batch.objects.get(number=1).open_xids
    retired(month, tmp_path)
    removed()
    assert (2, "proofs_receiver") in left()
    for most in (spans.MOST_SORTED, 1):
        monkeypatch.setattr(spans, "MOST_SORTED", most)
        assert row_findings() == []
    export(StringIO())
    assert rows_named(tmp_path / "2030-03") == []


def test_entries_are_written_whole_before_a_row_leaves(
    retired_month: ClosedPeriod,
) -> None:
    """No batch of the month was sealed before its end: the next retirement takes its entries."""
    assert set(RetiredRows.objects.values_list("last_batch", flat=True)) == {0}
    kept = Block.objects.filter(row_form__relation=TICKETS)
    assert set(kept.values_list("entries", flat=True)) == {None}
    forced("UPDATE lototrot_ticket SET bets = bets + 1 WHERE id = 1")
    with pytest.raises(RowsNotAsArchived):  # nothing is deleted of rows that are not as sealed
        removed()
    forced("UPDATE lototrot_ticket SET bets = bets - 1 WHERE id = 1")
    assert removed() > 0
    for block in kept:
        assert block.short is None and block.entries is not None
        assert hashlib.sha256(block.entries).digest() == bytes(block.sha256)
    for other in ({"entries": None}, {"short": b"x"}, {"entries": b"x" * 48}):
        with pytest.raises(DatabaseError, match="not retired"), transaction.atomic():
            kept.update(**other)
    assert row_findings() == []


def test_a_row_that_was_retired_and_went_without_its_entry_is_missed(
    sealed_month_retired: ClosedPeriod,
) -> None:
    """The log says that it may be gone; only its whole entry says what it was."""
    forced(f"DELETE FROM {PRINTS} WHERE ticket_id = 1")
    assert (Fault.ROWS_DIFFER, 3, PRINTS) in {
        (each.what, each.batch, each.table) for each in verify().findings
    }

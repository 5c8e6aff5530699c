"""Change batches and blocks, and check the findings; check that every row is sealed once."""

from collections.abc import Iterator

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from pytest_django import DjangoDbBlocker

from core.journal import rows, wire
from core.journal.models import Batch, Block, RowForm
from core.journal.services import checkpoint_publish, last_batch
from core.journal.verifying import Fault, verify
from core.proofs.log import published
from tests.support import databases, factories
from tests.support.databases import Database
from tests.support.journaling import TABLES, as_owner, execute, findings, seal_all, touched


@pytest.fixture
def sealed(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Database]:
    """Yield a database of this test with three batches; the second holds a sale."""
    with django_db_blocker.unblock(), databases.restored(databases.prepared(_seal)) as database:
        yield database


def _seal() -> None:
    contest, place = factories.contest(), factories.point()
    seal_all()
    factories.sell(contest, place)
    seal_all()
    factories.premises()
    seal_all()
    assert verify().findings == []


def broken(statement: str) -> set[int | None]:
    """Run a statement; return the batches that verifying names then."""
    with touched("journal_batch", "journal_block", "journal_rowform"):
        assert execute(statement) > 0, statement
        differences = findings()
    assert {each.what for each in differences} <= {Fault.BATCH}
    return {each.batch for each in differences}


def test_everything_done_to_the_journal_itself_is_named(sealed: Database) -> None:
    with as_owner(sealed):
        for column in ("first_xid", "end_xid", "entries"):
            assert 2 in broken(f"UPDATE journal_batch SET {column} = {column} + 1 WHERE number = 2")
        for column in ("previous", "digest", "signature"):
            assert 2 in broken(
                f"UPDATE journal_batch SET {column} = set_byte({column}, 5,"
                f" 255 - get_byte({column}, 5)) WHERE number = 2"
            )
        second = "interval '1 second'"
        assert 2 in broken(
            f"UPDATE journal_batch SET sealed_at = sealed_at + {second} WHERE number = 2"
        )
        far = 10_000_000
        with touched("journal_batch", "journal_block"):
            execute("DELETE FROM journal_batch WHERE number = 2")
            assert 2 in {each.batch for each in findings()}
        with touched("journal_batch", "journal_block"):
            execute(f"UPDATE journal_batch SET number = {far + 3} - number WHERE number < 3")
            execute(f"UPDATE journal_batch SET number = number - {far} WHERE number > {far}")
            assert {1, 2} <= {each.batch for each in findings()}
        block = "WHERE batch_id = 2 AND position = 1"
        for change in (
            "rows = rows + 1",
            "position = 99",
            "row_form_id = row_form_id + 1",
            "batch_id = 1, position = 99",
            "short = short || short",
            "short = substr(short, 9)",
            "short = NULL",
            "entries = 'x'",
            "entries = decode(repeat('00', 48 * rows), 'hex'), short = NULL",
        ):
            assert 2 in broken(f"UPDATE journal_block SET {change} {block}")
        assert 2 in broken(f"DELETE FROM journal_block {block}")
        assert broken("UPDATE journal_rowform SET columns = columns[2:]")


def test_two_entries_that_change_places(sealed: Database) -> None:
    block = Block.objects.filter(batch_id=1, rows__gte=2).order_by("position").first()
    assert block is not None
    content = bytes(block.short)
    swapped = content[8:16] + content[:8] + content[16:]
    with as_owner(sealed), touched("journal_block"):
        execute("UPDATE journal_block SET short = %s WHERE id = %s", [swapped, block.pk])
        differences = verify().findings
    assert [(each.what, each.batch) for each in differences] == [(Fault.BATCH, 1)]


CHANGED = "UPDATE lototrot_ticket SET bets = bets + 1"


def test_who_makes_what_is_kept_fit_a_changed_row_is_found_by_the_digest(sealed: Database) -> None:
    """Batch and table are named then. The row cannot be: what is kept of it fits."""
    ticket = TABLES["lototrot_ticket"]
    with as_owner(sealed), touched(ticket.name, "journal_block"):
        execute(CHANGED)
        assert [(each.what, each.batch, each.row) for each in findings(ticket)] == [
            (Fault.ROW_CHANGED, 2, 1)
        ]
        with rows.ready():
            entries = next(rows.blocks(ticket, rows.present_columns(ticket), rows.Span(0)))
        blocks = Block.objects.filter(row_form__relation=ticket.name)
        assert blocks.update(short=wire.shortened(entries)) == 1
        assert [(each.what, each.batch, each.row) for each in findings(ticket)] == [
            (Fault.ROWS_DIFFER, 2, None)
        ]
        whole = b"".join(entries)
        assert blocks.update(entries=whole, short=None) == 1
        assert [(each.what, each.batch) for each in findings()] == [(Fault.BATCH, 2)]


def test_the_last_batches_cut_off_are_missed_by_the_checkpoint(sealed: Database) -> None:
    with transaction.atomic():
        assert checkpoint_publish(number=last_sealed().number) is not None
    entry = published(kind="journal.checkpoint", subject=str(last_sealed().number))
    assert entry is not None and entry.document["batch"] == last_sealed().number
    tables = ("journal_batch", "journal_block", "proofs_logentry")
    with as_owner(sealed):
        with touched(*tables):
            execute("DELETE FROM journal_block WHERE batch_id = 3")
            execute("DELETE FROM journal_batch WHERE number = 3")
            assert Fault.CHECKPOINT in {each.what for each in verify().findings}
        with touched(*tables):
            change = """jsonb_set(document, '{batch}', '1')"""
            execute(
                f"UPDATE proofs_logentry SET document = {change} WHERE kind = 'journal.checkpoint'"
            )
            assert Fault.CHECKPOINT in {each.what for each in verify().findings}


def last_sealed() -> Batch:
    batch = last_batch()
    assert batch is not None
    return batch


def test_a_trigger_disabled_is_named(sealed: Database) -> None:
    with as_owner(sealed), touched("lototrot_ticket"):
        differences = verify().findings
    assert [(each.what, each.table) for each in differences] == [(Fault.TRIGGER, "lototrot_ticket")]


def test_a_part_names_what_was_changed_in_it_and_nothing_else(sealed: Database) -> None:
    last = last_sealed().number
    assert verify(since=1, until=last).findings == []
    with as_owner(sealed), touched("journal_block"):
        execute("UPDATE journal_block SET short = short || 'x' WHERE batch_id = 1")
        assert {each.batch for each in verify(until=1).findings if each.batch} == {1}
        assert not [each for each in verify(since=1, until=last).findings if each.batch]


def test_batches_and_forms_are_read_once_for_all_tables(sealed: Database) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert verify().findings == []
    read = [query["sql"] for query in asked.captured_queries]
    filled = RowForm.objects.count()
    assert filled > 20
    for table in ("journal_batch", "journal_rowform"):
        assert 0 < sum(f'FROM "{table}"' in each for each in read) < 12 < filled

"""Check the tables of the journal: their names in words, and the limits that the database keeps."""

from typing import Any

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.journal.models import Act, Batch, Block, Change, RowForm
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, seal_all, touched


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (Act(xid=7, name="task:x"), "7 · task:x"),
        (Change(relation="staff_user", row_id=3), "staff_user 3"),
        (RowForm(relation="staff_user"), "staff_user"),
        (Batch(number=2), "2"),
        (Block(batch_id=2, position=1), "2 · 1"),
    ],
)
def test_a_row_has_a_name(row: Any, text: str) -> None:
    assert str(row) == text


def test_nothing_of_the_journal_can_be_changed_or_deleted(own_database: Database) -> None:
    factories.premises()
    seal_all()
    for model in (Act, Batch, Block, RowForm):
        row = model.objects.order_by("pk").first()
        assert row is not None
        for act in (row.save, row.delete):
            with pytest.raises(DatabaseError), transaction.atomic():
                act()
    with pytest.raises(DatabaseError), transaction.atomic():
        Act.objects.create(xid=10**12, at="2030-01-01T00:00:00Z", name="false", request_id="")


@pytest.mark.parametrize(
    ("statement", "constraint"),
    [
        ("UPDATE journal_batch SET number = 0", "batch_number"),
        ("UPDATE journal_batch SET end_xid = first_xid - 1", "batch_in_order"),
        ("UPDATE journal_block SET rows = 0", "block_has_rows"),
    ],
)
def test_impossible_batches_are_refused_even_to_the_owner(
    own_database: Database, statement: str, constraint: str
) -> None:
    seal_all()
    with (
        as_owner(own_database),
        pytest.raises(IntegrityError, match=constraint),
        touched("journal_batch", "journal_block"),
    ):
        execute(statement)

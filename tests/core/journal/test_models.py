"""Check the tables of the journal: their names in words, and the limits that the database keeps."""

import uuid
from typing import Any

import pytest
from django.contrib import admin
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.http import HttpRequest

from core.journal import acting
from core.journal.admin import ActAdmin
from core.journal.models import Act, Batch, Block, Change, RowForm, Source
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, seal_all, touched


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (Act(xid=7, source=Source(name="task:x")), "7 · task:x"),
        (Source(name="task:x", database_role="someone"), "task:x · someone"),
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
    for model in (Act, Source, Batch, Block, RowForm):
        row = model.objects.order_by("pk").first()
        assert row is not None
        for act in (row.save, row.delete):
            with pytest.raises(DatabaseError), transaction.atomic():
                act()
    with pytest.raises(DatabaseError), transaction.atomic():
        Act.objects.create(xid=10**12, at="2030-01-01T00:00:00Z", source_id=1, request_id="")


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


_UUID = f"{uuid.UUID(int=7)}"


@pytest.mark.parametrize(
    "request_id",
    [
        *("", "abcdefgh", "0" * 17, "é" * 8 + "0", "0123-" * 4 + "4" * 16),
        *(_UUID, f"{uuid.UUID(int=10)}".upper()),
    ],
)
def test_a_request_is_told_as_it_was_whatever_is_kept(
    own_database: Database, request_id: str
) -> None:
    with acting.acting("of the test", request_id=request_id), transaction.atomic():
        factories.premises()
    act = Act.objects.filter(request_id=request_id).order_by("-xid")[0]
    assert (act.name, act.request_id) == ("of the test", request_id)
    with connection.cursor() as cursor:
        cursor.execute("SELECT request_id FROM journal_act WHERE journal_xid = %s", [act.xid])
        kept = cursor.fetchone()[0]
    is_uuid = request_id == _UUID
    assert bytes(kept) == (b"\xff" + bytes(15) + b"\x07" if is_uuid else request_id.encode())
    search = ActAdmin(Act, admin.site).get_search_results
    chosen, _ = search(HttpRequest(), Act.objects.all(), request_id)
    assert act in chosen


def test_a_request_that_somebody_forged_is_shown_and_breaks_nothing(
    own_database: Database,
) -> None:
    with acting.acting("of the test", request_id="abcdefgh"), transaction.atomic():
        factories.premises()
    act = Act.objects.filter(request_id="abcdefgh")[0]
    with as_owner(own_database), touched("journal_act"):
        execute(
            f"UPDATE journal_act SET request_id = '\\xffc3' WHERE journal_xid = {act.xid}",
        )
        assert Act.objects.get(pk=act.pk).request_id == "\ufffd\ufffd"


def test_a_name_and_a_role_are_one_row_for_all_their_acts(own_database: Database) -> None:
    for name in ("once", "twice", "twice"):
        with acting.acting(name), transaction.atomic():
            factories.premises()
    assert Source.objects.filter(name__in=("once", "twice")).count() == 2
    assert Act.objects.filter(source__name="twice").count() == 2

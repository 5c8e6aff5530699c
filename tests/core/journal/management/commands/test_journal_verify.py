"""Verify the journal by `manage.py journal_verify`."""

from io import StringIO

from django.core.management import call_command

from core.journal.services import last_batch
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import seal_all


def test_the_command_verifies_in_parts_and_goes_on_from_one(own_database: Database) -> None:
    seal_all()
    for _ in range(2):
        factories.premises()
        seal_all()
    batch = last_batch()
    assert batch is not None and batch.number > 2
    last = batch.number
    whole, parts, rest = StringIO(), StringIO(), StringIO()
    call_command("journal_verify", stdout=whole)
    call_command("journal_verify", step=1, stdout=parts)
    lines = [f"verified up to batch {number}" for number in range(1, last)]
    assert parts.getvalue().splitlines() == [*lines, whole.getvalue().strip()]
    call_command("journal_verify", since=last - 1, stdout=rest)
    assert rest.getvalue().startswith("1 batches, ")

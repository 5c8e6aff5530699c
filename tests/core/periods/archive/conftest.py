"""A closed month to archive: one for the tests of a module, or one for a test alone."""

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from core.journal.acting import name_process
from core.periods.models import ClosedPeriod
from tests.core.periods.conftest import closed, march_ended
from tests.support import databases
from tests.support.databases import Database


@pytest.fixture(scope="module")
def month(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ClosedPeriod]:
    """March 2030, closed: one contest with three tickets, each with a confirmed print."""
    with django_db_blocker.unblock(), databases.clone():
        yield month_of()


@pytest.fixture
def own_month(own_database: Database) -> ClosedPeriod:
    """The same month, in a database of this test."""
    return month_of()


@pytest.fixture
def sealed_month(own_database: Database) -> ClosedPeriod:
    """The same month, with three batches of the journal, in a database of this test."""
    return month_of(batches=True)


def month_of(*, batches: bool = False) -> ClosedPeriod:
    """Return March 2030, closed; with `batches` of the journal, if asked for."""
    march_ended(batches=batches)
    closed()
    name_process("command:period_archive")
    return ClosedPeriod.objects.get()

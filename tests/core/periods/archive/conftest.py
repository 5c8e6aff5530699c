"""A closed month to archive: one for the tests of a module, or one for a test alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from django.db import connections
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.journal.acting import name_process
from core.periods.archive import removing
from core.periods.archive.retiring import retirement_propose
from core.periods.archive.tables import ArchiveTable
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod
from core.staff import two_persons
from core.staff.powers import Role
from lototrot.models.tickets import CodeGiven, Ticket
from tests.core.periods.conftest import closed, march_ended
from tests.support import databases, factories
from tests.support.journaling import seal_all


@pytest.fixture(scope="module")
def month(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ClosedPeriod]:
    """March 2030, closed: one contest with three tickets, each with a confirmed print."""
    with django_db_blocker.unblock(), _copied(batches=False) as month:
        yield month


@pytest.fixture
def own_month(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[ClosedPeriod]:
    """The same month, in a database of this test."""
    with django_db_blocker.unblock(), _copied(batches=False) as month:
        yield month


@pytest.fixture
def sealed_month(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[ClosedPeriod]:
    """The same month, with three batches of the journal, in a database of this test.

    The codes of the tickets that won were given again: so these stay.
    """
    with django_db_blocker.unblock(), _copied(batches=True) as month:
        yield month


@pytest.fixture
def retired_month(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ClosedPeriod]:
    """The month of `own_month`, archived in `tmp_path` and retired; the night has not come yet."""
    with (
        django_db_blocker.unblock(),
        retired_copy(played(False), tmp_path, tmp_path_factory),
    ):
        yield ClosedPeriod.objects.get()


@pytest.fixture
def sealed_month_retired(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ClosedPeriod]:
    """That of `sealed_month`, archived in `tmp_path` and retired; the night has not come yet."""
    with (
        django_db_blocker.unblock(),
        retired_copy(played(True), tmp_path, tmp_path_factory),
    ):
        yield ClosedPeriod.objects.get()


@contextmanager
def retired_copy(
    month: str, folder: Path, folders: pytest.TempPathFactory
) -> Iterator[databases.Database]:
    """Let Django use a copy of the database named `month` in which its month was retired.

    The archive is in `folder`. This process retires each month once.
    """
    if month not in _RETIRED:
        archives = folders.mktemp("archives")
        _RETIRED[month] = databases.prepared(partial(_retire, archives), month), archives
    database, archives = _RETIRED[month]
    copytree(archives, folder, dirs_exist_ok=True)
    with databases.restored(database) as copy:
        name_process("command:period_archive")
        yield copy


_RETIRED: dict[str, tuple[str, Path]] = {}
"""The names of databases with a month retired, and the folders of the archives, by its database."""


def _retire(folder: Path) -> None:
    name_process("command:period_archive")
    retired(ClosedPeriod.objects.get(), folder)


@contextmanager
def _copied(*, batches: bool) -> Iterator[ClosedPeriod]:
    with databases.restored(played(batches)):
        name_process("command:period_archive")
        yield ClosedPeriod.objects.get()


@cache
def played(batches: bool) -> str:
    """Return the name of a database with the month, which this process plays once."""
    return databases.prepared(partial(month_of, batches=batches))


def month_of(*, batches: bool = False) -> ClosedPeriod:
    """Return March 2030, closed; with `batches` of the journal, if asked for."""
    march_ended(batches=batches)
    if batches:
        give_codes_again()
    closed()
    name_process("command:period_archive")
    return ClosedPeriod.objects.get()


def give_codes_again() -> None:
    """Give the codes of the tickets that won again: a row names these tickets, and they stay."""
    for won in Ticket.objects.exclude(prizes=None):
        CodeGiven.objects.create(
            ticket=won, road="replay", operator=won.operator, given_at=clock.now()
        )


def retired(period: ClosedPeriod, folder: Path) -> None:
    """Archive a closed month into that folder; two persons retire it."""
    archive_write(period=period, folder=folder)
    seal_all()
    by = factories.staff(Role.ORGANISER)
    kept = "Safe of the Central Office"
    proposal = retirement_propose(by=by, number=period.number, kept=kept)
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))


def next_month_retired(folder: Path) -> ClosedPeriod:
    """Close the next month, archive it and retire it; the night has not come yet."""
    closed()
    name_process("command:period_archive")
    period = ClosedPeriod.objects.order_by("-number")[0]
    retired(period, folder)
    return period


def night_killed(step: str, table: str) -> None:
    """Begin to remove what is retired, and end when that step of `removing` comes to a table."""
    whole = getattr(removing, step)

    def killed(of: ArchiveTable, *rest: Any) -> int:
        if of.name == table:
            raise KeyboardInterrupt
        return int(whole(of, *rest))

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(removing, step, killed)
        removing.retired_remove()


def forge(table: str, statement: str) -> None:
    """Change a table as its owner could, with its triggers disabled meanwhile."""
    with connections["owner"].cursor() as owner:
        owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        owner.execute(statement)
        assert owner.rowcount > 0
        owner.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")

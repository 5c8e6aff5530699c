"""Months to close: one in which a contest was sold, ordered, and has lapsed since."""

import uuid
from collections.abc import Callable, Iterator

import pytest
from pytest_django import DjangoDbBlocker

from core.database import clock
from core.kernel.days import add_days, natural_day
from core.ledger.models import Transfer
from core.nights.nightly import lapse
from core.periods import services
from core.staff import two_persons
from core.staff.powers import Role
from core.statements.balances import mark_make
from core.statements.services import statements_issue
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.support import databases, factories, rounds
from tests.support.journaling import seal_all


@pytest.fixture
def contest(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Contest]:
    """A contest of March 2030, ordered and lapsed; it is May, and nothing of March waits.

    It is in a database of this test.
    """
    with django_db_blocker.unblock(), databases.restored(databases.prepared(march_ended)):
        yield Contest.objects.get()


def march_ended(*, batches: bool = False) -> Contest:
    """Sell, print, settle and order a contest in March, and go on until it has lapsed.

    With `batches` the journal is sealed meanwhile, three times.
    """
    seal = seal_all if batches else nothing
    factories.time_to(rounds.NOON)
    point = factories.point()
    seal()
    ordered = rounds.ordered(point)
    seal()
    factories.prints_ended(ordered)
    mark_make()
    seal()
    factories.time_pass(days=70)
    lapse(add_days(natural_day(clock.now()), -1))
    mark_make()
    statements_issue(until=add_days(natural_day(clock.now()), -1))
    factories.time_pass(hours=1)
    return ordered


def march_closed(sell: Callable[..., list[Ticket]]) -> None:
    """Go through March with `sell` in place of `rounds.sell`, and close it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "sell", sell)
        march_ended(batches=True)
    closed()


def nothing() -> None:
    """Do nothing."""


def closed() -> None:
    """Let an organiser propose to close the next month, and an auditor confirm it."""
    proposal = services.period_propose(by=factories.staff(Role.ORGANISER))
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))


def late_transfer(contest: Contest) -> None:
    """Insert a transfer of the contest with a time in March, as a dishonest service could."""
    first = Transfer.objects.filter(credit=contest.takings_account)[0]
    Transfer.objects.create(
        reference=uuid.uuid4(),
        line=0,
        kind="lototrot.sale",
        debit_id=first.debit_id,
        credit_id=first.credit_id,
        amount_cents=100,
        at=first.at,
    )

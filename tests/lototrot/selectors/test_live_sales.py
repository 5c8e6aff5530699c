"""Watch the sale: by minute, by premises, and the terminals that sell nothing."""

import pytest

from lototrot.models.contest import Contest
from lototrot.selectors.live_sales import (
    SILENT_AFTER,
    sales_by_minute,
    sales_by_premises,
    silent_terminals,
)
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db


@pytest.fixture
def contest() -> Contest:
    factories.time_to(rounds.NOON)
    return factories.contest(kind="five-races")


def test_sales_are_counted_by_minute_and_by_premises(contest: Contest) -> None:
    busy, quiet = factories.point(), factories.point()
    factories.sell(contest, busy)
    factories.sell(factories.contest(), busy)
    factories.time_pass(minutes=2)
    factories.sell(contest, busy)
    factories.sell(contest, quiet)
    assert [minute.tickets for minute in sales_by_minute(contest)] == [1, 2]
    assert [
        (row.pk, row.tickets, row.amount_cents) for row in sales_by_premises(contest, most=5)
    ] == [
        (busy.premises.pk, 2, 200),
        (quiet.premises.pk, 1, 100),
    ]
    assert len(sales_by_premises(contest, most=1)) == 1
    factories.time_pass(minutes=61)
    assert sales_by_minute(contest) == [] and sales_by_premises(contest, most=5) == []


def test_only_a_terminal_that_was_ready_is_silent(contest: Contest) -> None:
    ready, selling = factories.point(), factories.point()
    factories.point()  # never declared the poster on display
    factories.acknowledge(contest, ready)
    factories.acknowledge(contest, selling)
    assert silent_terminals(contest, most=5) == []
    factories.time_pass(seconds=SILENT_AFTER.total_seconds() + 1)
    factories.sell(contest, selling)
    (silent,) = silent_terminals(contest, most=5)
    assert (silent.pk, silent.last_sale_at) == (ready.terminal.pk, None)

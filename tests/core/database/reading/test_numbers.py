"""Find rows of a time by their numbers, whatever is missing and whatever runs at once."""

import datetime
from itertools import pairwise
from typing import Any

import pytest

from core.database.models import ClockOffset
from core.database.reading.numbers import (
    NO_END,
    OUT_OF_ORDER,
    first_from,
    first_number,
    numbers,
    within,
)
from core.ledger.models import Transfer
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds

SECOND = datetime.timedelta(seconds=1)
pytestmark = pytest.mark.django_db
AT = datetime.datetime(2030, 1, 1, tzinfo=datetime.UTC)


@pytest.fixture
def sold() -> list[Ticket]:
    """Sell a ticket on each of seven days."""
    contest, point = factories.contest(), factories.point()
    for _ in range(7):
        rounds.sell(contest, point, [(1,) * 7])
        factories.time_pass(days=1)
    return list(Ticket.objects.order_by("pk"))


def _numbered(*minutes: tuple[int, int]) -> None:
    """Write rows of a small table: the number of each, and its minute."""
    ClockOffset.objects.bulk_create(
        ClockOffset(pk=pk, offset=SECOND, set_at=AT + minute * 60 * SECOND, reason="a test")
        for pk, minute in minutes
    )


def test_rows_of_an_instant_are_found_by_their_numbers(sold: list[Ticket]) -> None:
    for ticket in sold:
        assert first_number(Ticket, "sold_at", ticket.sold_at) == ticket.pk
        assert first_number(Ticket, "sold_at", ticket.sold_at - SECOND) == ticket.pk
    for before, after in pairwise(sold):
        assert first_number(Ticket, "sold_at", before.sold_at + SECOND) == after.pk
    assert first_number(Ticket, "sold_at", sold[-1].sold_at + SECOND) is None
    assert first_number(Transfer, "at", sold[0].sold_at - datetime.timedelta(days=900)) is not None


def test_rows_between_two_instants_are_found_by_number_and_instant(sold: list[Ticket]) -> None:
    for first in range(7):
        for end in range(first, 7):
            of_span = within(Ticket, "sold_at", sold[first].sold_at, sold[end].sold_at)
            assert list(Ticket.objects.filter(of_span).order_by("pk")) == sold[first:end]
    later = sold[-1].sold_at + datetime.timedelta(days=1)
    assert numbers(Ticket, "sold_at", sold[0].sold_at, later) == (sold[0].pk, NO_END)
    assert first_from(Ticket, "sold_at", later) == sold[-1].pk + 1  # the next one is found


def test_nothing_is_found_where_there_is_nothing() -> None:
    assert first_number(Ticket, "sold_at", AT) is None
    assert numbers(Ticket, "sold_at", AT, AT + SECOND) == (0, NO_END)


@pytest.mark.parametrize("gap", [1, 2, 1000, 10**12])
def test_numbers_may_be_far_apart(gap: int) -> None:
    _numbered(*((1 + gap * n, 60 * n) for n in range(9)))
    for n in range(9):
        number = first_number(ClockOffset, "set_at", AT + n * 3600 * SECOND)
        assert number is not None and gap * (n - 1) + 1 < number <= 1 + gap * n


def test_who_runs_at_the_same_time_is_found(monkeypatch: Any) -> None:
    """A row took its number first and its instant last, and others were written between."""
    _numbered((1, 0), (2, 69), (3, 61), (4, 62), (5, 120))
    since, until = AT + 69 * 60 * SECOND, AT + 70 * 60 * SECOND
    assert OUT_OF_ORDER >= 8 * 60 * SECOND
    offsets = ClockOffset.objects.filter(within(ClockOffset, "set_at", since, until))
    assert [row.pk for row in offsets] == [2]

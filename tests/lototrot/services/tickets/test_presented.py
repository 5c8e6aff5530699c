"""Show a presented ticket: its marks, the numbers that replaced them, its hits once they count."""

from datetime import UTC, date, datetime

import pytest
from django.utils.translation import override
from pytest_django import DjangoAssertNumQueries

from core.premises.requests import new_uuid
from core.receipts.document import Pair, Table
from lototrot.models.contest import Contest
from lototrot.services.settlement.settling import contest_settle
from lototrot.services.tickets import presented
from lototrot.services.tickets.presented import PresentedTicket
from lototrot.services.tickets.selling import QuickPick, SaleRequest, ticket_sell
from tests.support import factories, rounds
from tests.support.factories import Point

RULES = rounds.rules(**rounds.TWO_LEGS)
WON_BY_ONE = rounds.Facts((1, 2, 3), winners=frozenset({1}))


@pytest.fixture
def place(db: None) -> Point:
    factories.time_to(rounds.NOON)
    return factories.point()


@pytest.fixture
def contest(place: Point) -> Contest:
    return rounds.contest(RULES, [(1, 2, 3)] * 2)


def sold(contest: Contest, place: Point, *numbers: tuple[int, ...]) -> int:
    """Sell a ticket, and return its id."""
    ticket = factories.sell(contest, place, numbers).ticket_id
    assert ticket is not None
    return ticket


def traces(ticket: int) -> list[list[list[int]]]:
    """Return the trace of each mark, race by race."""
    races = presented.card(ticket)["races"]
    return [[mark["trace"] for mark in race["marks"]] for race in races]


def test_winning_bets_are_named_by_their_hits_and_losing_ones_left_out() -> None:
    sold_at = datetime(2027, 4, 10, 15, tzinfo=UTC)
    facts = (1, "ordered", sold_at, date(2027, 4, 10), "P-0001", sold_at, 8, 0, 800)
    assert PresentedTicket((1,) * 7, (0, 2, 6), *facts).won == [(6, 2), (5, 6)]
    assert PresentedTicket((1,) * 7, (), *facts).won == []


def test_a_ticket_on_sale_shows_its_bets_and_no_result(contest: Contest, place: Point) -> None:
    card = presented.card(sold(contest, place, (1, 2), (3,)))
    assert (card["contest"], card["premises"]) == (contest.pk, place.premises.code)
    assert (card["bets"], card["price_cents"]) == (2, 2 * contest.price_cents)
    assert card["day"] == contest.day.isoformat()
    assert card["sold_at"].endswith("Z")
    assert datetime.fromisoformat(card["closes_at"]) == contest.scheduled_close_at
    assert [race["position"] for race in card["races"]] == [1, 2]
    assert [[mark["number"] for mark in race["marks"]] for race in card["races"]] == [[1, 2], [3]]
    assert not any(race["winners"] or race["right"] for race in card["races"])
    assert card["winning_bets"] == []


@pytest.mark.article("14.III.5.4.1")
def test_a_withdrawn_number_shows_every_number_that_replaced_it(
    contest: Contest, place: Point
) -> None:
    ticket = sold(contest, place, (1, 2), (3,))
    rounds.run(
        contest,
        [
            rounds.Facts((1, 2, 3), withdrawn=frozenset({1, 2}), winners=frozenset({3})),
            rounds.Facts((1, 2, 3), withdrawn=frozenset({3}), winners=frozenset({1})),
        ],
    )
    assert traces(ticket) == [[[1, 2, 3], [2, 3]], [[3, 1]]]
    first, second = presented.card(ticket)["races"]
    assert (first["right"], second["right"]) == ([1, 2], [3])


@pytest.mark.article("14.III.9.9")
def test_in_a_dead_heat_each_winner_is_right(contest: Contest, place: Point) -> None:
    ticket = sold(contest, place, (1, 2, 3), (1,))
    heat = rounds.Facts((1, 2, 3), winners=frozenset({1, 3}))
    rounds.run(contest, [heat, WON_BY_ONE])
    first = presented.card(ticket)["races"][0]
    assert (first["winners"], first["right"]) == ([1, 3], [1, 3])


@pytest.mark.article("14.III.8.2")
def test_winning_bets_are_shown_once_payment_is_ordered(contest: Contest, place: Point) -> None:
    winner, loser = sold(contest, place, (1, 2), (1,)), sold(contest, place, (2,), (3,))
    rounds.run(contest, [WON_BY_ONE] * 2)
    contest_settle(contest_id=contest.pk)
    assert presented.card(winner)["winning_bets"] == []
    rounds.order(contest)
    assert presented.card(winner)["winning_bets"] == [
        {"hits": 2, "bets": 1},
        {"hits": 1, "bets": 1},
    ]
    assert presented.card(loser)["winning_bets"] == []


def test_races_are_read_once_when_nothing_changes_them_any_more(
    contest: Contest, place: Point, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """A check of a ticket is then one query."""
    ticket = sold(contest, place, (1,), (1,))
    rounds.run(contest, [WON_BY_ONE] * 2)
    before = presented.shown_races(contest.pk, "closed")
    rounds.order(contest)
    assert presented.shown_races(contest.pk, "ordered") == before
    with django_assert_num_queries(0):
        presented.shown_races(contest.pk, "ordered")
    assert presented.card(ticket)["races"][0]["winners"] == [1]


def test_a_quick_pick_is_marked_in_its_race(contest: Contest, place: Point) -> None:
    factories.acknowledge(contest, place)
    price = contest.price_cents
    request = SaleRequest(new_uuid(), contest.pk, ((2,), QuickPick(1)), price, price)
    ticket_sell(credentials=place.credentials, request=request)
    card = presented.card(contest.tickets.get().pk)
    assert [race["quick_pick"] for race in card["races"]] == [False, True]


@pytest.mark.parametrize(
    ("language", "hits"), [("ca", "2 encerts"), ("es", "2 aciertos"), ("en", "2 right")]
)
def test_a_status_slip_has_the_marks_and_the_hits(
    contest: Contest, place: Point, language: str, hits: str
) -> None:
    ticket = sold(contest, place, (1, 2), (1,))
    withdrawn = rounds.Facts((1, 2, 3), withdrawn=frozenset({2}), winners=frozenset({1}))
    rounds.run(contest, [withdrawn, WON_BY_ONE])
    rounds.order(contest)
    with override(language):
        blocks = presented.blocks(ticket)
    (table,) = [block for block in blocks if isinstance(block, Table)]
    assert [row[2:] for row in table.rows] == [("1 2→3", "1"), ("1", "1")]
    assert (hits, "1") in [(b.label, b.value) for b in blocks if isinstance(b, Pair)]


def test_a_race_without_a_result_has_a_dash_on_the_slip(contest: Contest, place: Point) -> None:
    with override("en"):
        blocks = presented.blocks(sold(contest, place, (1,), (2,)))
    (table,) = [block for block in blocks if isinstance(block, Table)]
    assert [row[3] for row in table.rows] == ["-", "-"]

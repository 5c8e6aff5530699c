"""The season's auditors find a player who is refused a right, and a cent that is missing."""

import secrets
import uuid
from collections import Counter
from datetime import date, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from tests.support.season.auditor import Auditor
from tests.support.season.books import Books, Commission
from tests.support.season.dividing import Terms
from tests.support.season.instant_auditor import InstantAuditor
from tests.support.season.replay import random_from
from tests.support.season.rights import Rights

DAY = date(2032, 2, 29)
NEXT_DAY = timedelta(days=1)
GAME: dict[str, Any] = {
    "code": "g",
    "mode": "predrawn",
    "prize_percent": "72",
    "tiers": [{"cash_cents": 500, "count": 2}],
}


@pytest.fixture
def books() -> Books:
    rates = {
        "lototrot": Commission("earned", [(DAY, Fraction(6))]),
        "promotrot": Commission("earned-too", [(DAY, Fraction(9))]),
    }
    return Books(rates)


@pytest.fixture
def instants(books: Books) -> InstantAuditor:
    """An emission of ten tickets at 1.00, of which two are played: the first wins 5.00."""
    auditor = InstantAuditor(books, Rights())
    auditor.approved(GAME)
    auditor.opens("g/1", "g", 10, 100, {})
    for play, tier in (("a", 1), ("b", 0)):
        auditor.sold(play, "g/1", "bar", DAY)
        auditor.ends(play, tier, 0, DAY)
    auditor.voucher("v", "a", 500, DAY)
    return auditor


@pytest.fixture
def lototrot(books: Books) -> Auditor:
    """A meeting of one race that one ticket won: 0.60 of its stake, payable from tomorrow."""
    terms = Terms(
        chain="t",
        legs=1,
        prize_percent=Fraction(60),
        threshold_cents=10_000,
        below={"1": 100},
        above={"1": 100},
        share_percents={"commission": 50, "remainder": 50},
        price_cents=100,
        claim_days=30,
    )
    auditor = Auditor(terms, books, Rights())
    auditor.opens("c", DAY, [[1, 2]])
    auditor.sold("t", "c", "bar", [[1]], DAY)
    return auditor


def test_a_player_who_came_in_time_and_got_nothing_has_lost_a_right() -> None:
    rights = Rights()
    for document, became in (("paid", "paid"), ("kept", "held"), ("lapsed", "lapsed")):
        rights.claimed(document, DAY)
        rights.became(document, became)
    rights.claimed("refused", DAY)
    rights.became("nobody came", "lapsed")
    assert [right.document for right in rights.lost()] == ["lapsed", "refused"]


def test_money_that_was_held_and_then_lapsed_is_a_right_lost() -> None:
    rights = Rights()
    rights.claimed("ticket", DAY)
    rights.became("ticket", "held")
    assert rights.lost() == []
    rights.became("ticket", "lapsed")
    (lost,) = rights.lost()
    assert str(lost) == "ticket, brought on 2032-02-29: lapsed"


def test_a_voucher_may_be_claimed_for_thirty_days_and_then_is_the_organisers(
    instants: InstantAuditor,
) -> None:
    last = DAY + timedelta(days=30)
    assert instants.may_claim("v", last) and not instants.may_claim("v", last + NEXT_DAY)
    instants.night(last - NEXT_DAY)
    assert instants.vouchers["v"].claim == ""
    instants.night(last)
    assert instants.books["promotrot:organiser:unclaimed"] == 500
    assert not instants.may_claim("v", last)


def test_an_emission_that_gave_less_than_it_declared_owes_the_rest(
    instants: InstantAuditor,
) -> None:
    for number in range(6):
        instants.sold(str(number), "g/1", "bar", DAY)
        instants.ends(str(number), 0, 0, DAY)
    assert instants.closes("g/1") == 76, "72 % of 8.00 are 5.76"
    assert instants.books["promotrot:g:prizes"] == 76
    assert sum(instants.books.values()) - 2 * 800 == 0
    with pytest.raises(AssertionError):
        instants.drawn("g", [("a", "w", 75)], DAY)


def test_a_drawn_prize_that_nobody_comes_for_is_never_the_organisers(
    instants: InstantAuditor,
) -> None:
    for number in range(6):
        instants.sold(str(number), "g/1", "bar", DAY)
    instants.closes("g/1")
    instants.paid("v", "premises:bar", DAY)
    for number in range(3):
        instants.drawn("g", [("b", f"drawn {number}", 76)], DAY)
        instants.night(DAY + timedelta(days=30))
    assert instants.books["promotrot:g:authority"] == 76
    assert instants.books["promotrot:organiser:unclaimed"] == 0


def test_the_last_day_of_29_february_is_in_march(lototrot: Auditor) -> None:
    lototrot.classified("c", 0, {1}, set(), datetime(2032, 3, 1, 0, 5))
    assert lototrot.settles("c") == {"t": 60}
    lototrot.ordered("c", DAY + NEXT_DAY)
    assert lototrot.meetings["c"].results_day == DAY, "a race after midnight is of its day"
    assert lototrot.meetings["c"].last_claim_day == date(2032, 3, 30)


def test_a_reversed_settlement_leaves_the_books_as_before(lototrot: Auditor) -> None:
    lototrot.carried_over[DAY - NEXT_DAY] = 700
    before = Counter(lototrot.books)
    assert lototrot.settles("c") == {}
    assert lototrot.books["jackpot"] == 760 and not lototrot.carried_over
    lototrot.reverses("c")
    assert Counter(lototrot.books) == before and sum(lototrot.carried_over.values()) == 700


def test_at_the_end_all_that_is_left_goes_where_the_authority_decides(lototrot: Auditor) -> None:
    lototrot.carried_over[DAY] = 700
    assert lototrot.settles("c") == {}
    lototrot.books["held:c"] = 1
    assert lototrot.is_held()
    lototrot.books["held:c"] = 0
    assert not lototrot.is_held()
    assert lototrot.left() == {"jackpot": 60, "unclaimed": 700}
    lototrot.ends()
    assert lototrot.left() == {} and lototrot.books["ended"] == 760


def test_a_draw_with_a_horse_too_many_or_too_few_or_too_late_is_found(lototrot: Auditor) -> None:
    declared = datetime(2032, 2, 29, 17)
    lototrot.opens("d", DAY, [[1, 2, 3, 4]])
    lototrot.withdrawn("d", 0, 1)

    def drawn(order: list[int], *, hours: int = 2) -> None:
        certified = declared + timedelta(hours=hours)
        lototrot.drawn("d", 0, order, {2}, declared=declared, certified=certified)

    for wrong in ([4, 3, 2], [4, 1, 3], [4], [4, 3, 3]):
        with pytest.raises(AssertionError, match="was drawn"):
            drawn(wrong)
    for hours in (0, 3):
        with pytest.raises(AssertionError, match="certified"):
            drawn([4, 3], hours=hours)
    drawn([4, 3])
    assert lototrot.meetings["d"].races[0].winners == {4}
    assert lototrot.meetings["d"].results_day == DAY


def test_the_same_seed_gives_the_system_the_same_random_numbers() -> None:
    def drawn() -> list[object]:
        with random_from(Random(7)):
            return [uuid.uuid4(), secrets.token_bytes(8), secrets.randbelow(100)]

    assert drawn() == drawn()
    assert uuid.uuid4() != uuid.uuid4()

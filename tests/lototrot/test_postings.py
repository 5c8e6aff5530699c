"""The postings of a settlement: whole cents, every step, and nothing left where nothing stays."""

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger.books import Books
from core.ledger.services import asset, liability
from lototrot import accounts
from lototrot.accounts import Part
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.distribution import Distribution, Takings, distribute
from tests.support import rounds

TAKINGS = liability("takings")
RULES = [
    rounds.rules(),
    rounds.rules(**rounds.TWO_LEGS),
    rounds.rules(payout_step_cents=5),
    rounds.rules(legs=3, shares_below={"3": 100}, shares_above={"3": 90, "reserve": 10}),
]

cents = st.integers(0, 3_000_000)


@st.composite
def settled(draw: st.DrawFn) -> tuple[Rules, Distribution]:
    rules = draw(st.sampled_from(RULES))
    winners = {hits: draw(st.integers(0, 3) | st.integers(0, 5000)) for hits in rules.categories}
    meeting = Takings(
        takings=draw(cents),
        winners=winners,
        jackpot_in=draw(cents | st.just(16_000_000)),
        reserve_in=draw(cents),
        lapsed_in=draw(cents),
    )
    return rules, distribute(meeting, rules)


def posted(rules: Rules, d: Distribution) -> Books:
    """The books after the settlement, which began with what came in."""
    books = Books()
    before = asset("before")
    for account, amount in (
        (TAKINGS, d.takings),
        (accounts.jackpot(rules.code), d.jackpot_in),
        (accounts.reserve(rules.code), d.reserve_in),
        (accounts.lapsed(1), d.lapsed_in),
    ):
        books.move([accounts.Line("test", before, account, amount)])
    parts = accounts.organiser_share(date(2024, 1, 1)).divide(d.organiser_share)
    lines = accounts.settlement_lines(
        contest_id=1, bet_type_code=rules.code, takings=TAKINGS, d=d, parts=parts
    )
    assert all(line.amount_cents >= 0 for line in lines)
    books.move(lines)
    return books


@pytest.mark.article("14.III.6.1", "14.III.9.1", "14.III.9.5", "14.III.9.7", "14.III.9.8")
@given(case=settled())
def test_every_cent_ends_where_the_rules_put_it(case: tuple[Rules, Distribution]) -> None:
    rules, d = case
    books = posted(rules, d)
    for emptied in (TAKINGS, accounts.pool(1), accounts.lapsed(1)):
        assert books.cents(emptied) == 0
    for hits in rules.categories:
        assert books.cents(accounts.category(1, hits)) == 0
    assert books.cents(accounts.prizes_payable(1)) == d.prizes_total
    assert books.cents(accounts.jackpot(rules.code)) == d.jackpot_out
    assert books.cents(accounts.reserve(rules.code)) == d.reserve_out
    assert sum(books.cents(accounts.organiser(part)) for part in Part) == d.organiser_share


@pytest.mark.article("14.III.9.7")
def test_each_category_gives_out_exactly_its_prizes_after_the_correction() -> None:
    rules = rounds.rules()
    winners = {7: 7, 6: 4, 5: 2, 4: 1}
    d = distribute(Takings(9000, winners, jackpot_in=100_000, reserve_in=0, lapsed_in=0), rules)
    parts = accounts.organiser_share(date(2024, 1, 1)).divide(d.organiser_share)
    lines = accounts.settlement_lines(
        contest_id=1, bet_type_code="x", takings=TAKINGS, d=d, parts=parts
    )
    kinds = {
        (line.kind, line.debit.code, line.credit.code): line.amount_cents
        for line in lines
        if line.amount_cents and line.kind in ("lototrot.correction", "lototrot.rounding")
    }
    four, six = accounts.category(1, 4).code, accounts.category(1, 6).code
    seven, fund = accounts.category(1, 7).code, accounts.reserve("x").code
    assert kinds == {
        ("lototrot.correction", four, six): 1080,
        ("lototrot.rounding", seven, fund): 1,
    }


@pytest.mark.article("14.III.6.1")
@given(amount=cents)
def test_the_organisers_parts_are_the_whole_share_and_the_remainder_takes_the_cents(
    amount: int,
) -> None:
    share = accounts.organiser_share(date(2024, 1, 1))
    parts = share.divide(amount)
    assert sum(parts.values()) == amount
    for part in Part:
        exact = amount * share.percents[part] / 100
        least = 0 if part is Part.REMAINDER else exact - 1
        most = exact + len(Part) if part is Part.REMAINDER else exact
        assert least <= parts[part] <= most


@pytest.mark.article("14.III.6.1")
def test_the_division_of_the_organisers_share_is_dated() -> None:
    share = accounts.organiser_share(date(2024, 1, 1))
    assert share == accounts.organiser_share(date(1999, 1, 1))
    assert sum(share.percents.values(), Fraction()) == 100
    assert share.source

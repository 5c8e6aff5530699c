"""Lototrot's postings: every step of a settlement in whole cents, and what the SQL inserts."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.ledger.books import Books
from core.ledger.models import Transfer
from core.ledger.services import Line, asset, liability
from lototrot import accounts, postings
from lototrot.accounts import Part
from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.distribution import Distribution, Takings, distribute
from tests.support import factories, rounds

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
        books.move([Line("test", before, account, amount)])
    parts = accounts.organiser_share(date(2024, 1, 1)).divide(d.organiser_share)
    lines = postings.settlement_lines(
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
    lines = postings.settlement_lines(
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


@pytest.mark.django_db
def test_the_sale_in_sql_moves_what_the_posting_says() -> None:
    place, contest = factories.point(), factories.contest()
    sold = factories.sell(contest, place)
    transfer = Transfer.objects.select_related("debit", "credit").get(reference=sold.uuid)
    line = postings.sale(
        premises_id=place.premises.pk,
        takings=liability(contest.takings_account.code),
        cents=contest.price_cents,
    )
    assert (line.kind, line.debit.code, line.credit.code, line.amount_cents) == (
        transfer.kind,
        transfer.debit.code,
        transfer.credit.code,
        transfer.amount_cents,
    )
    assert (line.debit.side, line.credit.side) == (transfer.debit.side, transfer.credit.side)

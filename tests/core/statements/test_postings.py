"""Check the postings of the weekly statements: a sign turns a line round, a game pays its own."""

from core.ledger.services import premises_account
from core.payoffice.accounts import treasury
from core.statements import postings
from core.statements.columns import games


def test_each_game_pays_its_commission_and_takes_it_back() -> None:
    sources = {game.game: game.commission_from for game in games()}
    assert len(sources) == 2
    earned, lost = postings.commission(7, dict(zip(sources, (40, -3), strict=True)))
    first, second = sources.values()
    assert (earned.debit, earned.credit, earned.amount_cents) == (first, premises_account(7), 40)
    assert (lost.debit, lost.credit, lost.amount_cents) == (premises_account(7), second, 3)
    assert earned.kind == lost.kind == "statements.commission"


def test_premises_pay_the_treasury_or_are_paid_by_it() -> None:
    paid, received = postings.remittance(7, 500), postings.remittance(7, -500)
    assert (paid.debit, paid.credit) == (treasury(), premises_account(7))
    assert (received.debit, received.credit) == (paid.credit, paid.debit)
    assert paid.amount_cents == received.amount_cents == 500

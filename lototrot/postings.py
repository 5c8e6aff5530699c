"""Compose Lototrot's postings: the accounts between which each act moves money.

The services post these lines, `ledger_rebuild` applies them with amounts that it computes again,
and the replay of a day posts them again. `sql/sell.sql` inserts the line of `sale` in SQL.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from itertools import pairwise

from core.ledger.services import AccountCode, Line, premises_account
from lototrot import accounts
from lototrot.accounts import Part
from lototrot.engine.distribution import Distribution

REVERSAL = "lototrot.reversal"


def sale(*, premises_id: int, takings: AccountCode, cents: int) -> Line:
    """Return the line of a sale: the premises owes the price, and the takings grow by it."""
    return Line("lototrot.sale", premises_account(premises_id), takings, cents)


def annulment(*, premises_id: int, takings: AccountCode, cents: int) -> Line:
    """Return the line of an annulment: the price goes back to the premises that sold the ticket."""
    return Line("lototrot.annulment", takings, premises_account(premises_id), cents)


def breach_void(*, contest_id: int, takings: AccountCode, cents: int) -> Line:
    """Return the line for tickets in breach voided before settlement (14.I.6) [C6].

    Their prices become refunds due.
    """
    return Line("lototrot.breach_void", takings, accounts.refunds_due(contest_id), cents)


def breach_block(*, contest_id: int, cents: int) -> Line:
    """Return the line for tickets in breach blocked after the payment order [C6].

    Their prizes are held.
    """
    payable = accounts.prizes_payable(contest_id)
    return Line("lototrot.breach_block", payable, accounts.held(contest_id), cents)


def lapse(*, contest_id: int, bet_type_code: str, day: date, cents: int) -> Line:
    """Return the line of prizes not claimed by their last day, which now wait (14.III.10.7)."""
    payable = accounts.prizes_payable(contest_id)
    return Line("lototrot.lapse", payable, accounts.carry_over(bet_type_code, day), cents)


def carry_over(*, contest_id: int, bet_type_code: str, day: date, cents: int) -> Line:
    """Return the line of unclaimed prizes of a day that pass to the next meeting (14.III.10.7)."""
    waiting = accounts.carry_over(bet_type_code, day)
    return Line("lototrot.carry_over", waiting, accounts.lapsed(contest_id), cents)


def reversal(lines: Iterable[Line]) -> list[Line]:
    """Return every transfer of a settlement in the opposite direction (14.III.5.3) [B14]."""
    return [Line(REVERSAL, line.credit, line.debit, line.amount_cents) for line in lines]


def settlement_lines(
    *,
    contest_id: int,
    bet_type_code: str,
    takings: AccountCode,
    d: Distribution,
    parts: Mapping[Part, int],
) -> list[Line]:
    """Return every step of a settlement as transfers of cents, in the order of the rulebook.

    They leave the takings, the pool, the lapsed prizes and every category at zero.
    """
    whole = accounts.pool(contest_id)
    fund, saved = accounts.reserve(bet_type_code), accounts.jackpot(bet_type_code)
    payable = accounts.prizes_payable(contest_id)
    places = {hits: accounts.category(contest_id, hits) for hits in d.shares}
    order = list(places)
    top, lowest = order[0], order[-1]
    lines = [_line("pool", takings, whole, d.prize_pool)]
    for part, cents in parts.items():
        lines.append(_line("organiser", takings, accounts.organiser(part), cents))
    lines += [_line("share", whole, places[hits], cents) for hits, cents in d.shares.items()]
    lines.append(_line("reserve_share", whole, fund, d.reserve_share))
    for above, below in pairwise(order[1:]):
        lines.append(_line("cascade", places[above], places[below], _fallen(d, order, above)))
    lines.append(_line("unwon", places[lowest], fund, d.unwon_to_reserve))
    lines.append(_line("lapsed", accounts.lapsed(contest_id), places[top], d.lapsed_in))
    lines.append(_line("jackpot_in", saved, places[top], d.jackpot_in))
    lines.append(_line("reserve_in", fund, places[top], d.reserve_paid_out))
    lines += _correction_lines(d, places, fund)
    for hits, prize in d.prize_each.items():
        lines.append(_line("prizes", places[hits], payable, prize * d.winners[hits]))
    lines.append(_line("jackpot_out", places[top], saved, d.jackpot_out))
    return lines


def _line(kind: str, debit: AccountCode, credit: AccountCode, cents: int) -> Line:
    return Line(kind=f"lototrot.{kind}", debit=debit, credit=credit, amount_cents=cents)


def _fallen(d: Distribution, order: list[int], hits: int) -> int:
    """Return what a category without winners passes down: its share and what fell into it."""
    fallen = 0
    for each in order[1 : order.index(hits) + 1]:
        fallen = 0 if d.winners[each] else fallen + d.shares[each]
    return fallen


def _correction_lines(
    d: Distribution, places: Mapping[int, AccountCode], fund: AccountCode
) -> list[Line]:
    """Return the correction of 14.III.9.7 and the rounding: each category keeps exactly its prizes.

    The exact amounts of 14.III.9.7 may be fractions of a cent. What a category has in the end
    beyond its earlier amount therefore comes from lower categories, which always have enough; the
    rest is rounding.
    """
    over = {
        hits: d.before_correction[hits] - prize * d.winners[hits]
        for hits, prize in d.prize_each.items()
    }
    lines = []
    for taker in sorted(hits for hits in over if over[hits] < 0):
        for giver in (hits for hits in over if hits < taker and over[hits] > 0):
            cents = min(over[giver], -over[taker])
            lines.append(_line("correction", places[giver], places[taker], cents))
            over[giver] -= cents
            over[taker] += cents
    return lines + [_line("rounding", places[hits], fund, cents) for hits, cents in over.items()]

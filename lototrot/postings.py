"""Compose Lototrot's postings: the accounts between which each act moves money.

The services post these lines, `ledger_rebuild` applies them with amounts that it computes again,
and the replay of a day posts them again. `sql/sell.sql` inserts the line of `sale` in SQL.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import pairwise
from typing import Any

from core.kernel.canonical import Json
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


def unprinted_void(*, contest_id: int, takings: AccountCode, cents: int) -> Line:
    """Return the line for tickets never printed, whose prices become refunds due [E11]."""
    return Line("lototrot.unprinted_void", takings, accounts.refunds_due(contest_id), cents)


def breach_block(*, contest_id: int, cents: int) -> Line:
    """Return the line for tickets in breach blocked after the payment order [C6].

    Their prizes are held.
    """
    payable = accounts.prizes_payable(contest_id)
    return Line("lototrot.breach_block", payable, accounts.held(contest_id), cents)


def lapse(*, contest_id: int, bet_type_code: str, day: date, cents: int) -> Line:
    """Return the line of prizes that lapse: they wait for the next meeting (14.III.10.7)."""
    payable = accounts.prizes_payable(contest_id)
    return Line("lototrot.lapse", payable, accounts.carry_over(bet_type_code, day), cents)


def carry_over(*, contest_id: int, bet_type_code: str, day: date, cents: int) -> Line:
    """Return the line of unclaimed prizes of a day that pass to the next meeting (14.III.10.7)."""
    waiting = accounts.carry_over(bet_type_code, day)
    return Line("lototrot.carry_over", waiting, accounts.lapsed(contest_id), cents)


def restored(*, contest_id: int, taken_from: AccountCode, cents: int) -> Line:
    """Return the line by which a rebuild makes a lapsed prize payable again [C8].

    The prize office posts the return itself, and then moves the money on.
    """
    payable = accounts.prizes_payable(contest_id)
    return Line("lototrot.restored", taken_from, payable, cents)


class Source(StrEnum):
    """A sum that had accumulated in a chain when its bet type ended [A21]."""

    JACKPOT = "jackpot"
    RESERVE = "reserve"
    UNCLAIMED = "unclaimed"


@dataclass(frozen=True, slots=True)
class EndMove:
    """A sum that the authority sends on: to a recipient by name, or to another bet type.

    There the reserve joins the reserve, and the rest the jackpot. `day` is that with which
    unclaimed prizes waited.
    """

    source: Source
    day: date | None
    recipient: str
    bet_type: str
    cents: int

    def to_document(self) -> dict[str, Json]:
        return {
            "source": str(self.source),
            "day": self.day.isoformat() if self.day else None,
            "recipient": self.recipient,
            "bet_type": self.bet_type,
            "cents": self.cents,
        }

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> "EndMove":
        day = document["day"]
        return cls(
            source=Source(document["source"]),
            day=date.fromisoformat(day) if day else None,
            recipient=document["recipient"],
            bet_type=document["bet_type"],
            cents=document["cents"],
        )


def end_lines(bet_type_code: str, moves: Iterable[EndMove]) -> list[Line]:
    """Return the lines of the end of a bet type [A17, A21]."""
    return [
        Line(
            "lototrot.end",
            _accumulated(bet_type_code, move),
            _sent_to(bet_type_code, move),
            move.cents,
        )
        for move in moves
    ]


def _accumulated(bet_type_code: str, move: EndMove) -> AccountCode:
    if move.source is Source.JACKPOT:
        return accounts.jackpot(bet_type_code)
    if move.source is Source.RESERVE:
        return accounts.reserve(bet_type_code)
    return accounts.carry_over(bet_type_code, move.day or date.min)


def _sent_to(bet_type_code: str, move: EndMove) -> AccountCode:
    if not move.bet_type:
        return accounts.sent_on(bet_type_code, move.recipient)
    if move.source is Source.RESERVE:
        return accounts.reserve(move.bet_type)
    return accounts.jackpot(move.bet_type)


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
    pool = accounts.pool(contest_id)
    reserve, jackpot = accounts.reserve(bet_type_code), accounts.jackpot(bet_type_code)
    payable = accounts.prizes_payable(contest_id)
    by_hits = {hits: accounts.category(contest_id, hits) for hits in d.shares}
    categories = list(by_hits)
    top, lowest = categories[0], categories[-1]
    lines = [_line("pool", takings, pool, d.prize_pool)]
    for part, cents in parts.items():
        lines.append(_line("organiser", takings, accounts.organiser(part), cents))
    lines += [_line("share", pool, by_hits[hits], cents) for hits, cents in d.shares.items()]
    lines.append(_line("reserve_share", pool, reserve, d.reserve_share))
    for above, below in pairwise(categories[1:]):
        cents = _fallen(d, categories, above)
        lines.append(_line("cascade", by_hits[above], by_hits[below], cents))
    lines.append(_line("unwon", by_hits[lowest], reserve, d.unwon_to_reserve))
    lines.append(_line("lapsed", accounts.lapsed(contest_id), by_hits[top], d.lapsed_in))
    lines.append(_line("jackpot_in", jackpot, by_hits[top], d.jackpot_in))
    lines.append(_line("reserve_in", reserve, by_hits[top], d.reserve_paid_out))
    lines += _correction_lines(d, by_hits, reserve)
    for hits, prize in d.prize_each.items():
        lines.append(_line("prizes", by_hits[hits], payable, prize * d.winners[hits]))
    lines.append(_line("jackpot_out", by_hits[top], jackpot, d.jackpot_out))
    return lines


def _line(kind: str, debit: AccountCode, credit: AccountCode, cents: int) -> Line:
    return Line(kind=f"lototrot.{kind}", debit=debit, credit=credit, amount_cents=cents)


def _fallen(d: Distribution, categories: list[int], hits: int) -> int:
    """Return the sum that a category without winners passes down: its share and sums from above."""
    fallen = 0
    for category in categories[1 : categories.index(hits) + 1]:
        fallen = 0 if d.winners[category] else fallen + d.shares[category]
    return fallen


def _correction_lines(
    d: Distribution, by_hits: Mapping[int, AccountCode], reserve: AccountCode
) -> list[Line]:
    """Return the correction of 14.III.9.7 and the rounding: each category keeps exactly its prizes.

    The exact amounts of 14.III.9.7 may be fractions of a cent. What a category has in the end
    beyond its earlier amount therefore comes from lower categories, which always have enough; the
    rest is rounding.
    """
    left_cents = {
        hits: d.before_correction[hits] - prize * d.winners[hits]
        for hits, prize in d.prize_each.items()
    }
    lines = []
    for taker in sorted(hits for hits in left_cents if left_cents[hits] < 0):
        for giver in (hits for hits in left_cents if hits < taker and left_cents[hits] > 0):
            cents = min(left_cents[giver], -left_cents[taker])
            lines.append(_line("correction", by_hits[giver], by_hits[taker], cents))
            left_cents[giver] -= cents
            left_cents[taker] += cents
    return lines + [
        _line("rounding", by_hits[hits], reserve, cents) for hits, cents in left_cents.items()
    ]

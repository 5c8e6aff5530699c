"""Lototrot's accounts, and how one settlement moves the money between them.

Everything here is owed or held, so every account is a liability; what premises have taken is theirs
(`core.ledger.services.premises_account`). A contest's takings stand on `Contest.takings_account`.
"""

from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib import resources
from itertools import pairwise

from core.ledger.organiser import OrganiserShare, share_in_force, shares_from
from core.ledger.organiser import Part as Part
from core.ledger.services import AccountCode, Line, liability
from lototrot.engine.distribution import Distribution


def pool(contest_id: int) -> AccountCode:
    """The prize pool of a contest while it is being divided (9.1)."""
    return liability(f"lototrot:contest:{contest_id}:pool")


def category(contest_id: int, hits: int) -> AccountCode:
    """A category's money while it is being divided (9.2, 9.3)."""
    return liability(f"lototrot:contest:{contest_id}:category:{hits}")


def prizes_payable(contest_id: int) -> AccountCode:
    """Prizes won and neither paid, lapsed nor held; its sub-ledger are the prize rows."""
    return liability(f"lototrot:contest:{contest_id}:prizes")


def lapsed(contest_id: int) -> AccountCode:
    """Unclaimed prizes of earlier meetings, carried over into this one's 7/7 (10.7)."""
    return liability(f"lototrot:contest:{contest_id}:lapsed")


def refunds_due(contest_id: int) -> AccountCode:
    """Prices of tickets voided because they were registered in breach [C6]."""
    return liability(f"lototrot:contest:{contest_id}:refunds")


def held(contest_id: int) -> AccountCode:
    """Prizes whose ticket is blocked or deposited, until two persons decide [C5, C6]."""
    return liability(f"lototrot:contest:{contest_id}:held")


def carry_over(bet_type_code: str, day: date) -> AccountCode:
    """What lapsed with a last day, or was refused on it: for the first meeting after [D3, C5].

    It passes to `lapsed` of that meeting's contest once there is one; until then it stands here.
    """
    return liability(f"lototrot:{bet_type_code}:carry_over:{day.isoformat()}")


def jackpot(bet_type_code: str) -> AccountCode:
    """The 7/7 accumulated from meeting to meeting (9.5)."""
    return liability(f"lototrot:{bet_type_code}:jackpot")


def reserve(bet_type_code: str) -> AccountCode:
    """The reserve fund of the 7/7 (9.3, 9.5, 9.8)."""
    return liability(f"lototrot:{bet_type_code}:reserve")


def organiser(part: Part) -> AccountCode:
    """A part of the organiser's share."""
    return liability(f"lototrot:organiser:{part}")


def organiser_share(day: date) -> OrganiserShare:
    """The division in force on a meeting's day; a day before the first version gets the first."""
    return share_in_force(_organiser_shares(), day)


@cache
def _organiser_shares() -> tuple[OrganiserShare, ...]:
    path = resources.files("lototrot").joinpath("organiser_share.json")
    return shares_from(path.read_text("utf-8"))


def settlement_lines(
    *,
    contest_id: int,
    bet_type_code: str,
    takings: AccountCode,
    d: Distribution,
    parts: Mapping[Part, int],
) -> list[Line]:
    """Every step of a settlement as transfers of whole cents, in the order of the rulebook.

    They leave the takings, the pool, the lapsed and every category at nothing.
    """
    whole = pool(contest_id)
    fund, saved = reserve(bet_type_code), jackpot(bet_type_code)
    payable = prizes_payable(contest_id)
    places = {hits: category(contest_id, hits) for hits in d.shares}
    order = list(places)
    top, lowest = order[0], order[-1]
    lines = [_line("pool", takings, whole, d.prize_pool)]
    lines += [_line("organiser", takings, organiser(part), cents) for part, cents in parts.items()]
    lines += [_line("share", whole, places[hits], cents) for hits, cents in d.shares.items()]
    lines.append(_line("reserve_share", whole, fund, d.reserve_share))
    for above, below in pairwise(order[1:]):
        lines.append(_line("cascade", places[above], places[below], _fallen(d, order, above)))
    lines.append(_line("unwon", places[lowest], fund, d.unwon_to_reserve))
    lines.append(_line("lapsed", lapsed(contest_id), places[top], d.lapsed_in))
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
    """What a category without winners passes to the one below: its share and what fell into it."""
    fallen = 0
    for each in order[1 : order.index(hits) + 1]:
        fallen = 0 if d.winners[each] else fallen + d.shares[each]
    return fallen


def _correction_lines(
    d: Distribution, places: Mapping[int, AccountCode], fund: AccountCode
) -> list[Line]:
    """9.7 and the rounding in whole cents: each category is left with exactly its prizes.

    The exact amounts of 9.7 may be fractions of a cent; so what a category ends with above what it
    had comes from lower ones, which always have that much to give, and what is over is rounding.
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

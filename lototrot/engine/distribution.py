"""Divide the money of one meeting into prizes, jackpot, reserve and organiser's share (14.III.9).

Amounts stay exact fractions from the prize pool to the prizes. A prize is rounded once, when it is
known [A13, A14]. Figures are in cents and have the names of the worked cases.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from core.kernel.canonical import Json
from core.kernel.errors import Invalid, InvariantBroken
from core.kernel.money import exact_json, floor_to_step, percent_down, percent_up
from lototrot.engine.bet_type import RESERVE, BetType, Regime
from lototrot.engine.correction import Correction, correct


class TakingsMalformed(Invalid):
    """An amount or a count is negative, or the winners are not by the bet type's categories."""

    code = "takings_malformed"
    message = "Takings, winners or balances are not valid."


@dataclass(frozen=True, slots=True)
class Takings:
    """The input of a settlement, in cents.

    `winners` are winning bets by category [B10]. `jackpot_in` and `reserve_in` are the balances
    carried in. `lapsed_in` is the sum of unclaimed prizes carried over to this meeting
    (14.III.10.7).
    """

    takings: int
    winners: Mapping[int, int]
    jackpot_in: int
    reserve_in: int
    lapsed_in: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """A settlement with every intermediate figure, in cents.

    Mappings are by category, highest first. `shares` does not include the reserve's share, which is
    `reserve_share`. `unwon_to_reserve` is the money of a lowest category without winners.
    `correction` has the steps of 14.III.9.7 and `after_correction` its exact outcome. `prize_each`
    has only the categories with winners.
    """

    takings: int
    winners: Mapping[int, int]
    jackpot_in: int
    reserve_in: int
    lapsed_in: int
    prize_pool: int
    organiser_share: int
    tested_jackpot: int
    regime: Regime
    shares: Mapping[int, int]
    reserve_share: int
    after_cascade: Mapping[int, int]
    unwon_to_reserve: int
    reserve_paid_out: int
    before_correction: Mapping[int, int]
    correction: Correction
    after_correction: Mapping[int, Fraction]
    prize_each: Mapping[int, int]
    prizes_total: int
    rounding_remainder: int
    jackpot_out: int
    reserve_out: int

    def figures(self) -> dict[str, Json]:
        """Return the figures in the shape of the worked cases, without inputs and correction."""
        return {
            "prize_pool": self.prize_pool,
            "organiser_share": self.organiser_share,
            "tested_jackpot": self.tested_jackpot,
            "regime": str(self.regime),
            "shares": {**_table(self.shares), RESERVE: self.reserve_share},
            "after_cascade": _table(self.after_cascade),
            "unwon_to_reserve": self.unwon_to_reserve,
            "reserve_paid_out": self.reserve_paid_out,
            "before_correction": _table(self.before_correction),
            "after_correction": _table(self.after_correction),
            "prize_each": _table(self.prize_each),
            "prizes_total": self.prizes_total,
            "rounding_remainder": self.rounding_remainder,
            "jackpot_out": self.jackpot_out,
            "reserve_out": self.reserve_out,
        }

    def to_document(self) -> dict[str, Json]:
        """Return all figures, with inputs and the steps of 14.III.9.7, as canonical JSON."""
        return {
            "takings": self.takings,
            "winners": _table(self.winners),
            "jackpot_in": self.jackpot_in,
            "reserve_in": self.reserve_in,
            "lapsed_in": self.lapsed_in,
            **self.figures(),
            "correction": {
                "halved": [[*pair] for pair in self.correction.halved],
                "after_halving": _table(self.correction.after_halving),
                "joined": [[*group] for group in self.correction.joined],
            },
        }


def distribute(meeting: Takings, bet_type: BetType) -> Distribution:
    """Divide the money of one meeting (14.III.6, 14.III.9).

    Raises TakingsMalformed, InvariantBroken.
    """
    _check_takings(meeting, bet_type)
    top = bet_type.categories[0]
    winners = {category: meeting.winners[category] for category in bet_type.categories}

    prize_pool = percent_up(meeting.takings, bet_type.prize_percent)
    tested = meeting.jackpot_in + meeting.lapsed_in
    regime = bet_type.regime(tested)
    shares, reserve_share = _shares(prize_pool, bet_type, regime)
    after_cascade, unwon = _cascade(shares, winners)

    won = winners[top] > 0
    reserve_paid = meeting.reserve_in if won else 0
    before = {**after_cascade, top: after_cascade[top] + tested + reserve_paid}
    correction = correct(before, winners)
    after = {c: correction.amounts.get(c, Fraction(before[c])) for c in before}

    prizes = {
        category: floor_to_step(Fraction(amount, winners[category]), bet_type.payout_step_cents)
        for category, amount in correction.amounts.items()
    }
    prizes_total = sum(prize * winners[category] for category, prize in prizes.items())
    remainder = sum(before[category] for category in prizes) - prizes_total
    carried = meeting.reserve_in - reserve_paid
    distribution = Distribution(
        takings=meeting.takings,
        winners=MappingProxyType(winners),
        jackpot_in=meeting.jackpot_in,
        reserve_in=meeting.reserve_in,
        lapsed_in=meeting.lapsed_in,
        prize_pool=prize_pool,
        organiser_share=meeting.takings - prize_pool,
        tested_jackpot=tested,
        regime=regime,
        shares=MappingProxyType(shares),
        reserve_share=reserve_share,
        after_cascade=MappingProxyType(after_cascade),
        unwon_to_reserve=unwon,
        reserve_paid_out=reserve_paid,
        before_correction=MappingProxyType(before),
        correction=correction,
        after_correction=MappingProxyType(after),
        prize_each=MappingProxyType(prizes),
        prizes_total=prizes_total,
        rounding_remainder=remainder,
        jackpot_out=0 if won else before[top],
        reserve_out=carried + reserve_share + unwon + remainder,
    )
    verify(distribution)
    return distribution


def verify(d: Distribution) -> None:
    """Check a distribution, computed or read from the database.

    All money that comes in goes to the organiser, to prizes or to a balance, to the cent. A lower
    category never pays more than a higher one (14.III.9.7). No amount is negative. Raises
    InvariantBroken; `data["check"]` names the check that failed.
    """
    incoming = d.takings + d.lapsed_in + d.jackpot_in + d.reserve_in
    outgoing = d.organiser_share + d.prizes_total + d.jackpot_out + d.reserve_out
    paid = sum(prize * d.winners[category] for category, prize in d.prize_each.items())
    prizes = [d.prize_each[category] for category in d.winners if category in d.prize_each]
    corrected = sum(d.after_correction.values(), Fraction(0))
    balances = (d.organiser_share, d.jackpot_out, d.reserve_out, d.rounding_remainder)
    checks = {
        "incoming_is_outgoing": incoming == outgoing,
        "prizes_sum_to_total": paid == d.prizes_total,
        "prizes_go_to_winners": d.prize_each.keys() == {c for c in d.winners if d.winners[c]},
        "prizes_never_grow_downwards": prizes == sorted(prizes, reverse=True),
        "correction_moves_no_money": corrected == sum(d.before_correction.values()),
        "pool_is_divided": sum(d.shares.values()) + d.reserve_share == d.prize_pool,
        "nothing_negative": min((*balances, *d.shares.values(), *prizes)) >= 0,
    }
    for check, holds in checks.items():
        if not holds:
            raise InvariantBroken(f"The settlement does not hold: {check}.", check=check)


def _check_takings(meeting: Takings, bet_type: BetType) -> None:
    if set(meeting.winners) != set(bet_type.categories):
        raise TakingsMalformed(f"Winners are needed for the categories {bet_type.categories}.")
    amounts = (meeting.takings, meeting.jackpot_in, meeting.reserve_in, meeting.lapsed_in)
    if min((*amounts, *meeting.winners.values())) < 0:
        raise TakingsMalformed("Amounts and winners are never negative.")


def _shares(pool: int, bet_type: BetType, regime: Regime) -> tuple[dict[int, int], int]:
    """Return the share of each category and of the reserve (14.III.9.2, 9.3).

    Each share is rounded down to the cent; the highest category takes the rest of the pool [A13].
    """
    percents = bet_type.shares(regime)
    reserve = percent_down(pool, percents.reserve)
    shares = {c: percent_down(pool, percent) for c, percent in percents.categories.items()}
    top = bet_type.categories[0]
    shares[top] = 0
    shares[top] = pool - reserve - sum(shares.values())
    return shares, reserve


def _cascade(shares: Mapping[int, int], winners: Mapping[int, int]) -> tuple[dict[int, int], int]:
    """Pass the money of categories without winners downwards (14.III.9.5) [A6].

    A category without winners gives all its money to the one below; the lowest gives it to the
    reserve; the highest keeps its own. Return the amounts by category and the part of the reserve.
    """
    amounts: dict[int, int] = {}
    falling = 0
    for place, (category, share) in enumerate(shares.items()):
        amount = share + falling
        stays = place == 0 or winners[category] > 0
        amounts[category] = amount if stays else 0
        falling = 0 if stays else amount
    return amounts, falling


def _table(values: Mapping[int, int] | Mapping[int, Fraction]) -> dict[str, Json]:
    return {str(category): exact_json(Fraction(value)) for category, value in values.items()}

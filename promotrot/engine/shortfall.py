"""The 70 % kept: what an emission gave when it closes, what it still owes, and how that is paid.

An emission closes by an explicit act with a statement [P2]. What its prizes fall short of the
minimum of its takings is owed to prizes of the same concrete game, never to the organiser, and no
other emission's excess makes it up [P3, P14]. It funds extra prizes in the game's next emission,
on top of what that emission must give by itself.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from core.kernel.canonical import Json
from core.kernel.errors import Invalid
from core.kernel.money import exact_json
from promotrot.engine.prize_table import PredrawnType, Prize, Tier
from promotrot.engine.rules import shortfall_cents
from promotrot.engine.strategies import ProbabilisticType


class FiguresDisagree(Invalid):
    """Figures of a closing that cannot all be true; nothing is stated."""

    code = "closing_figures_disagree"
    message = "The figures of the closing contradict each other."


class ExtraImpossible(Invalid):
    """What is owed does not reach for one prize of the tier, or the tier is not of the table."""

    code = "extra_impossible"
    message = "No extra prize of that tier can be funded."


@dataclass(frozen=True, slots=True)
class Closing:
    """What happened in an emission, as counted when it closes.

    `refunded` tickets left the takings [P11]; `unfinished` plays are paid but not resolved, so that
    their prizes do not count yet [P9]. `awarded_cents` is by vouchers issued, cash and equivalents,
    without the extra prizes; `unclaimed_cents` is the part of both not presented so far.
    `owed_before_cents` is what earlier emissions of the game owe.
    """

    tickets: int
    sold: int
    refunded: int
    unfinished: int
    price_cents: int
    awarded_cents: int
    extra_awarded_cents: int
    unclaimed_cents: int
    owed_before_cents: int
    minimum_percent: Fraction


@dataclass(frozen=True, slots=True)
class Statement:
    """The statement of a closing (`15.III.6.2`) [P1, P2, P9, P13].

    `percent` is exact, None when nothing was sold. `shortfall_cents` is this emission's own, up to
    the cent; `owed_cents` what the game owes to prizes from now on.
    """

    closing: Closing
    takings_cents: int
    percent: Fraction | None
    shortfall_cents: int
    owed_cents: int

    @property
    def unsold(self) -> int:
        return self.closing.tickets - self.closing.sold

    def document(self) -> dict[str, Json]:
        """As stored and published; the percentage is an int or the text `"n/d"`."""
        closing = self.closing
        return {
            "format": "promotrot-closing/1",
            "tickets": closing.tickets,
            "sold": closing.sold,
            "unsold": self.unsold,
            "refunded": closing.refunded,
            "unfinished": closing.unfinished,
            "price_cents": closing.price_cents,
            "takings_cents": self.takings_cents,
            "awarded_cents": closing.awarded_cents,
            "extra_awarded_cents": closing.extra_awarded_cents,
            "unclaimed_cents": closing.unclaimed_cents,
            "minimum_percent": exact_json(closing.minimum_percent),
            "percent": None if self.percent is None else exact_json(self.percent),
            "shortfall_cents": self.shortfall_cents,
            "owed_before_cents": closing.owed_before_cents,
            "owed_cents": self.owed_cents,
        }


def state(closing: Closing) -> Statement:
    """State a closing. Raises FiguresDisagree.

    Extra prizes pay what was owed before and count for nothing else: neither in this emission's
    percentage nor, beyond the debt, against its own shortfall.
    """
    counts = (
        closing.refunded,
        closing.unfinished,
        closing.awarded_cents,
        closing.extra_awarded_cents,
        closing.unclaimed_cents,
        closing.owed_before_cents,
    )
    awarded = closing.awarded_cents + closing.extra_awarded_cents
    if (
        min(counts) < 0
        or closing.price_cents < 1
        or not closing.refunded + closing.unfinished <= closing.sold <= closing.tickets
        or closing.unclaimed_cents > awarded
    ):
        raise FiguresDisagree
    takings = (closing.sold - closing.refunded) * closing.price_cents
    short = shortfall_cents(takings, closing.awarded_cents, closing.minimum_percent)
    return Statement(
        closing=closing,
        takings_cents=takings,
        percent=Fraction(100 * closing.awarded_cents, takings) if takings else None,
        shortfall_cents=short,
        owed_cents=max(0, closing.owed_before_cents - closing.extra_awarded_cents) + short,
    )


def fund_extra(prize: Prize, owed_cents: int, room: int) -> tuple[Tier, int]:
    """As many extra prizes as a debt reaches for, `room` at most, and what stays owed.

    Raises ExtraImpossible.
    """
    count = min(owed_cents // prize.value_cents, room) if prize.value_cents > 0 else 0
    if count < 1:
        raise ExtraImpossible
    tier = Tier(prize, count, extra=True)
    return tier, owed_cents - tier.total_cents


def with_extra(kind: PredrawnType, owed_cents: int, tier: int) -> tuple[PredrawnType, int]:
    """The type of a pre-drawn game's next emission, with extra prizes equal to one of its tiers on
    tickets that would have none; and what stays owed [P2]. Raises ExtraImpossible."""
    if not 1 <= tier <= len(kind.tiers) or any(each.extra for each in kind.tiers):
        raise ExtraImpossible
    room = kind.tickets - kind.prize_count
    extra, left = fund_extra(kind.tiers[tier - 1].prize, owed_cents, room)
    return replace(kind, tiers=(*kind.tiers, extra)), left


def bonus_table(kind: ProbabilisticType, owed_cents: int, tier: int) -> tuple[PredrawnType, int]:
    """The extra prizes of a probabilistic game's next emission, and what stays owed [P2, P3].

    A table of extra prizes alone, to be dealt over the emission's tickets by `make_plan` with a
    minimum of 0: they come on top of the play and change none of its outcomes. Raises
    ExtraImpossible.
    """
    if not 1 <= tier <= len(kind.prizes):
        raise ExtraImpossible
    extra, left = fund_extra(kind.prizes[tier - 1], owed_cents, kind.tickets)
    return PredrawnType(Fraction(0), kind.tickets, kind.price_cents, (extra,)), left

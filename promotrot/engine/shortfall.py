"""Keep the minimum percentage: what an emission gave, what it still owes, and how that is paid.

An emission is closed by an explicit act with a statement [P2]. If its prizes are below the minimum
percentage of its takings, the difference is owed to prizes of the same concrete game. It is never
the organiser's, and no excess of another emission covers it [P3, P14]. It pays extra prizes in the
game's next emission, on top of that emission's own minimum.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from core.kernel.canonical import Json
from core.kernel.errors import Invalid
from core.kernel.money import exact_json
from promotrot.engine.prize_table import PredrawnType, Prize, Tier
from promotrot.engine.rules import shortfall_cents
from promotrot.engine.strategies import ProbabilisticType


class FiguresDisagree(Invalid):
    """The figures of a closing contradict each other, so nothing is stated."""

    code = "closing_figures_disagree"
    message = "The figures of the closing contradict each other."


class ExtraImpossible(Invalid):
    """The debt does not pay one prize of the tier, or the table has no such tier."""

    code = "extra_impossible"
    message = "No extra prize of that tier can be funded."


MOST_DRAWS: Final = 3
"""The draws of what an ended game owes: the first, and two more of what lapsed [P17]."""


@dataclass(frozen=True, slots=True)
class Closing:
    """The counts of an emission at its closing.

    `refunded` tickets left the takings [P11]. `unfinished` plays are paid but not resolved, so
    their prizes do not count yet [P9]. `awarded_cents` is the sum of issued vouchers, cash and
    equivalents, without the extra prizes. `unclaimed_cents` is the part of all vouchers not
    presented so far. `owed_before_cents` is the debt of the game's earlier emissions.
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
    """The statement of a closing (15.III.6.2) [P1, P2, P9, P13].

    `percent` is exact, or None if nothing was sold. `shortfall_cents` is this emission's own
    shortfall, rounded up. `owed_cents` is what the game owes to prizes from now on.
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
        """Return the statement as it is stored and published. The percentage is an int or the text
        `"n/d"`.
        """
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
    """Make the statement of a closing. Raises FiguresDisagree.

    Extra prizes pay the earlier debt and count for nothing else: not in this emission's percentage
    and, beyond the debt, not against its own shortfall.
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
    """Return how many extra prizes the debt pays, at most `room`, and the debt that remains.

    Raises ExtraImpossible.
    """
    count = min(owed_cents // prize.value_cents, room) if prize.value_cents > 0 else 0
    if count < 1:
        raise ExtraImpossible
    tier = Tier(prize, count, extra=True)
    return tier, owed_cents - tier.total_cents


def with_extra(kind: PredrawnType, owed_cents: int, tier: int) -> tuple[PredrawnType, int]:
    """Return the type of the game's next pre-drawn emission with extra prizes, and the debt that
    remains.

    Extra prizes equal those of one tier and lie on tickets without a prize [P2]. Raises
    ExtraImpossible.
    """
    if not 1 <= tier <= len(kind.tiers) or any(row.extra for row in kind.tiers):
        raise ExtraImpossible
    room = kind.tickets - kind.prize_count
    extra, left = fund_extra(kind.tiers[tier - 1].prize, owed_cents, room)
    return replace(kind, tiers=(*kind.tiers, extra)), left


def bonus_table(kind: ProbabilisticType, owed_cents: int, tier: int) -> tuple[PredrawnType, int]:
    """Return the extra prizes of the game's next probabilistic emission, and the debt that remains.

    The table has extra prizes only. `make_plan` spreads them over the emission's tickets with a
    minimum of 0. They are added to the play and change none of its outcomes [P2, P3]. Raises
    ExtraImpossible.
    """
    if not 1 <= tier <= len(kind.prizes):
        raise ExtraImpossible
    extra, left = fund_extra(kind.prizes[tier - 1], owed_cents, kind.tickets)
    return PredrawnType(Fraction(0), kind.tickets, kind.price_cents, (extra,)), left


def shares(owed_cents: int, winners: int) -> list[int]:
    """Return the cents of each prize of a draw in the order drawn: equal parts; the first takes the
    remainder.
    """
    share, rest = divmod(owed_cents, winners)
    return [share + rest, *[share] * (winners - 1)]

"""Define the four factors of a Promotrot type and check them for approval (15.II.2, 15.II.3).

Each fault has a stable code. All faults are named at once, so that the organiser can correct a type
in one step. The limits come from the regulation in force.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import floor
from typing import Final

from core.kernel.money import exact_json
from core.kernel.regulation import GameFigures
from promotrot.engine import rules
from promotrot.engine.rules import Fault

MAX_TIERS: Final = 100
"""A tier's number fits one byte of a shuffled block, with room to spare."""

_DECLARED_DECIMALS: Final = 100


@dataclass(frozen=True, slots=True)
class InKind:
    """A prize in kind and its value, fixed before the sale (15.III.6.5) [P4].

    `description` is the key of its text in the game. `equivalent_cents` is the market price with
    tax, taken from `source` on the day `valued_on`.
    """

    description: str
    equivalent_cents: int | None
    source: str
    valued_on: date | None


@dataclass(frozen=True, slots=True)
class Prize:
    """A prize: cash, or a thing with its cash equivalent (15.III.6.2)."""

    cash_cents: int = 0
    in_kind: InKind | None = None

    @property
    def value_cents(self) -> int:
        """Return the value of the prize that counts for the percentage."""
        return self.cash_cents if self.in_kind is None else self.in_kind.equivalent_cents or 0


@dataclass(frozen=True, slots=True)
class Tier:
    """A number of equal prizes of a table. `extra` prizes pay an earlier shortfall, on top [P2]."""

    prize: Prize
    count: int
    extra: bool = False

    @property
    def total_cents(self) -> int:
        return self.prize.value_cents * self.count


@dataclass(frozen=True, slots=True)
class PredrawnType:
    """A type of the pre-drawn mode with its four factors (15.II.2).

    `prize_percent` is the declared percentage. Tiers are numbered from 1 in their order. A tier 0
    means no prize.
    """

    prize_percent: Fraction
    tickets: int
    price_cents: int
    tiers: tuple[Tier, ...]

    @property
    def takings_cents(self) -> int:
        """Return the takings if every ticket is sold."""
        return self.tickets * self.price_cents

    @property
    def prizes(self) -> tuple[Prize, ...]:
        return tuple(tier.prize for tier in self.tiers)

    @property
    def prizes_cents(self) -> int:
        """Return the cash and the equivalents of the table, without the extra prizes."""
        return sum(tier.total_cents for tier in self.tiers if not tier.extra)

    @property
    def extra_cents(self) -> int:
        return sum(tier.total_cents for tier in self.tiers if tier.extra)

    @property
    def prize_count(self) -> int:
        return sum(tier.count for tier in self.tiers)

    def kept_percent(self, minimum_percent: Fraction) -> Fraction:
        """Return the percentage that each block and the closing must reach [P18].

        It is the declared one, and never less than the minimum of the regulation.
        """
        return max(self.prize_percent, minimum_percent)

    def shown_as(self, tier: int) -> int:
        """Return the tier whose picture `tier` shows: an extra prize looks like its equal in the
        table.

        Raises IndexError if there is no such tier.
        """
        if not 0 <= tier <= len(self.tiers):
            raise IndexError(tier)
        if tier == 0 or not self.tiers[tier - 1].extra:
            return tier
        return _base_prizes(self).index(self.tiers[tier - 1].prize) + 1


def faults(
    kind: PredrawnType, figures: GameFigures, *, day: date, rules_published: bool
) -> tuple[Fault, ...]:
    """Return every fault of a pre-drawn type on the day of its approval.

    `figures` are Promotrot's figures in force. `plan.make_plan` checks separately if the table can
    be spread over blocks [P2].
    """
    faults_found = [*prize_faults(kind.prizes, day=day, table="tiers")]
    for number in range(1, len(kind.tiers) + 1):
        faults_found += _tier_faults(kind, number)
    sound = [tier for tier in kind.tiers if tier.count > 0 and tier.prize.value_cents > 0]
    table = rules.Plan(
        price_cents=kind.price_cents,
        tickets=kind.tickets,
        prizes=[rules.Prizes(t.prize.value_cents, t.count) for t in sound if not t.extra],
        rules_published=rules_published,
        percent_published=kind.prize_percent > 0,
    )
    faults_found += rules.approve(table, figures).faults
    if sum(tier.count for tier in sound if not tier.extra) <= kind.tickets < kind.prize_count:
        detail = "With the extra prizes there are more prizes than tickets."
        faults_found.append(Fault("more_prizes_than_tickets", "15.II.2", detail, "$.tickets"))
    if kind.takings_cents > 0:
        exact = Fraction(100 * kind.prizes_cents, kind.takings_cents)
        faults_found += declared_faults(kind.prize_percent, exact)
    return tuple(faults_found)


def _tier_faults(kind: PredrawnType, number: int) -> Iterable[Fault]:
    """Yield the faults of a tier, counted from 1, beside those before it."""
    before, tier = kind.tiers[: number - 1], kind.tiers[number - 1]
    article, place = "15.II.2", f"$.tiers[{number - 1}]"
    if tier.count < 1:
        detail = f"Tier {number} has no prizes."
        yield Fault("tier_without_prizes", article, detail, f"{place}.count")
    if tier.extra and tier.prize not in _base_prizes(kind):
        detail = f"Tier {number} is extra, but the table has no such prize to show it as."
        yield Fault("extra_not_in_table", article, detail)
    if not tier.extra and any(other.extra for other in before):
        yield Fault("extra_not_last", article, "Extra tiers come after the table.")
    if any((other.prize, other.extra) == (tier.prize, tier.extra) for other in before):
        yield Fault("tier_repeated", article, f"Tier {number} is there twice.", place)


def prize_faults(prizes: Sequence[Prize], *, day: date, table: str) -> list[Fault]:
    """Return the faults of each prize. `day` is the day of approval, before any sale [P4].

    `table` is the name of the table in the definition.
    """
    faults_found = []
    if len(prizes) > MAX_TIERS:
        faults_found.append(
            Fault("too_many_tiers", "15.II.2", f"There are at most {MAX_TIERS} tiers.")
        )
    for number, prize in enumerate(prizes, start=1):
        for code, article, reason, field in _prize_faults(prize, day):
            place = f"$.{table}[{number - 1}].{field}"
            faults_found.append(Fault(code, article, f"Tier {number}: {reason}", place))
    return faults_found


def declared_faults(declared: Fraction, exact: Fraction) -> list[Fault]:
    """Check that the declared percentage is the exact one, rounded down to two decimals."""
    if declared == declarable(exact):
        return []
    detail = f"Declared {exact_json(declared)} %, but the prizes give {exact_json(exact)} %."
    return [Fault("percentage_mismatch", "15.II.2", detail, "$.prize_percent")]


def declarable(exact: Fraction) -> Fraction:
    """Return the percentage to declare for an exact one: two decimals, rounded down."""
    return Fraction(floor(exact * _DECLARED_DECIMALS), _DECLARED_DECIMALS)


def _base_prizes(kind: PredrawnType) -> list[Prize]:
    return [tier.prize for tier in kind.tiers if not tier.extra]


def _prize_faults(prize: Prize, day: date) -> Iterable[tuple[str, str, str, str]]:
    if prize.in_kind is None:
        if prize.cash_cents < 1:
            yield (
                "prize_without_value",
                "15.II.2",
                "a prize in cash is at least one cent.",
                "cash_cents",
            )
        return
    thing = prize.in_kind
    if prize.cash_cents:
        yield (
            "prize_both_kinds",
            "15.III.6.2",
            "a prize is in cash or in kind, not both.",
            "in_kind",
        )
    article = "15.III.6.5"
    if thing.equivalent_cents is None or thing.equivalent_cents < 1:
        reason = "a prize in kind needs its cash equivalent."
        yield "equivalent_missing", article, reason, "in_kind.equivalent_cents"
    if not thing.source.strip():
        reason = "the equivalent needs its source."
        yield "equivalent_source_missing", article, reason, "in_kind.source"
    if thing.valued_on is None:
        reason = "the equivalent needs its day."
        yield "equivalent_day_missing", article, reason, "in_kind.valued_on"
    elif thing.valued_on > day:
        reason = "the equivalent is fixed before approval."
        yield "equivalent_day_later", article, reason, "in_kind.valued_on"

"""The four factors of a Promotrot type and the gates its approval must pass (`15.II.2`, `15.II.3`).

A gate that fails is named by a stable code; all that fail are named at once, so that an organiser
corrects a type in one go. The limits themselves come from the regulation in force.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import floor
from typing import Final

from core.kernel.money import percent_up
from core.kernel.regulation import GameFigures

MAX_TIERS: Final = 100
"""A tier's number fits one byte of a shuffled block, with room to spare."""

_DECLARED_DECIMALS: Final = 100


@dataclass(frozen=True, slots=True)
class InKind:
    """What a prize in kind is and what it is worth, fixed before sale (`15.III.6.5`) [P4].

    `description` is the key of its text in the game; `equivalent_cents` the market price, tax
    included, from `source` on the day `valued_on`.
    """

    description: str
    equivalent_cents: int | None
    source: str
    valued_on: date | None


@dataclass(frozen=True, slots=True)
class Prize:
    """One prize: cash, or a thing with its cash equivalent (`15.III.6.2`)."""

    cash_cents: int = 0
    in_kind: InKind | None = None

    @property
    def value_cents(self) -> int:
        """What the prize counts for in the percentage."""
        return self.cash_cents if self.in_kind is None else self.in_kind.equivalent_cents or 0


@dataclass(frozen=True, slots=True)
class Tier:
    """So many equal prizes of a table. `extra` ones pay an earlier shortfall, above the 70 % [P2]."""

    prize: Prize
    count: int
    extra: bool = False

    @property
    def total_cents(self) -> int:
        return self.prize.value_cents * self.count


@dataclass(frozen=True, slots=True)
class PredrawnType:
    """A type of the pre-drawn mode: its four factors (`15.II.2`).

    `prize_percent` is the declared percentage; the tiers are numbered from 1 in their order, and 0
    stands for no prize wherever a tier is expected.
    """

    prize_percent: Fraction
    tickets: int
    price_cents: int
    tiers: tuple[Tier, ...]

    @property
    def takings_cents(self) -> int:
        """The total to be played, every ticket sold."""
        return self.tickets * self.price_cents

    @property
    def prizes(self) -> tuple[Prize, ...]:
        return tuple(tier.prize for tier in self.tiers)

    @property
    def prizes_cents(self) -> int:
        """Cash and equivalents of the table, without the extra prizes."""
        return sum(tier.total_cents for tier in self.tiers if not tier.extra)

    @property
    def extra_cents(self) -> int:
        return sum(tier.total_cents for tier in self.tiers if tier.extra)

    @property
    def prize_count(self) -> int:
        return sum(tier.count for tier in self.tiers)


@dataclass(frozen=True, slots=True)
class Gate:
    """A reason to refuse an approval: a stable code, its article, and the tier it is about, if one."""

    code: str
    article: str
    detail: str
    tier: int | None = None


def failing_gates(kind: PredrawnType, figures: GameFigures, *, day: date) -> tuple[Gate, ...]:
    """Every gate that a pre-drawn type fails on the day of its approval; empty when it may pass.

    Distribution over blocks is a gate of its own: `plan.make_plan` [P2].
    """
    gates = [
        *factor_gates(kind.tickets, kind.price_cents, figures),
        *prize_gates(kind.prizes, day=day),
    ]
    for number, tier in enumerate(kind.tiers, start=1):
        if tier.count < 1:
            gates.append(Gate("tier_without_prizes", "15.II.2", "A tier has no prizes.", number))
        if any(tier.prize == o.prize and tier.extra == o.extra for o in kind.tiers[: number - 1]):
            gates.append(Gate("tier_repeated", "15.II.2", "Two tiers are the same.", number))
    if kind.prize_count > kind.tickets:
        gates.append(
            Gate(
                "more_prizes_than_tickets",
                "15.II.2",
                f"{kind.prize_count} prizes for {kind.tickets} tickets.",
            )
        )
    needed = percent_up(kind.takings_cents, figures.minimum_prize_percent)
    if kind.prizes_cents < needed:
        gates.append(
            Gate(
                "prizes_below_minimum",
                "15.III.6.2",
                f"Prizes are {kind.prizes_cents} cents; {needed} are needed.",
            )
        )
    if kind.takings_cents > 0:
        exact = Fraction(100 * kind.prizes_cents, kind.takings_cents)
        gates += declared_gates(kind.prize_percent, exact)
    return tuple(gates)


def factor_gates(tickets: int, price_cents: int, figures: GameFigures) -> list[Gate]:
    """The gates of two factors both modes have: number of tickets and price."""
    gates = []
    if not figures.price_in_range(price_cents):
        low, high = figures.minimum_price_cents, figures.maximum_price_cents
        detail = f"The price is {price_cents} cents; it goes from {low} to {high}."
        gates.append(Gate("price_out_of_range", "15.III.4", detail))
    if tickets < 1:
        gates.append(Gate("no_tickets", "15.II.2", "The emission has no tickets."))
    return gates


def prize_gates(prizes: Sequence[Prize], *, day: date) -> list[Gate]:
    """The gates of each prize by itself; `day` is the day of approval, before any sale [P4]."""
    gates = []
    if len(prizes) > MAX_TIERS:
        gates.append(Gate("too_many_tiers", "15.II.2", f"There are at most {MAX_TIERS} tiers."))
    for number, prize in enumerate(prizes, start=1):
        gates += [Gate(*reason, number) for reason in _prize_faults(prize, day)]
    return gates


def declared_gates(declared: Fraction, exact: Fraction) -> list[Gate]:
    """The declared percentage is the exact one, down to the hundredth: it never promises more."""
    if declared == declarable(exact):
        return []
    detail = f"Declared {_text(declared)} %; the prizes give {_text(exact)} %."
    return [Gate("percentage_mismatch", "15.II.2", detail)]


def declarable(exact: Fraction) -> Fraction:
    """The percentage to declare for an exact one: two decimals, rounded down."""
    return Fraction(floor(exact * _DECLARED_DECIMALS), _DECLARED_DECIMALS)


def _prize_faults(prize: Prize, day: date) -> Iterable[tuple[str, str, str]]:
    if prize.in_kind is None:
        if prize.cash_cents < 1:
            yield "prize_without_value", "15.II.2", "A prize in cash is at least one cent."
        return
    thing = prize.in_kind
    if prize.cash_cents:
        yield "prize_both_kinds", "15.III.6.2", "A prize is in cash or in kind, not both."
    if thing.equivalent_cents is None or thing.equivalent_cents < 1:
        yield "equivalent_missing", "15.III.6.5", "A prize in kind needs its cash equivalent."
    if not thing.source.strip():
        yield "equivalent_source_missing", "15.III.6.5", "The equivalent needs its source."
    if thing.valued_on is None:
        yield "equivalent_day_missing", "15.III.6.5", "The equivalent needs its day."
    elif thing.valued_on > day:
        yield "equivalent_day_later", "15.III.6.5", "The equivalent is fixed before approval."


def _text(percent: Fraction) -> str:
    whole, decimals = divmod(floor(percent * 10_000), 10_000)
    return f"{whole}.{decimals:04d}"

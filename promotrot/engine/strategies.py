"""Compute the exact percentages of a probabilistic game for the worst and the best player [P3].

A way of playing is a rule that picks an act in each situation. Every way lies between the worst and
the best, which are computed from the ends of the tree backwards (15.II.3).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from math import floor, isqrt

from core.kernel.money import exact_json
from core.kernel.regulation import GameFigures
from promotrot.engine import rules
from promotrot.engine.prize_table import Prize, declared_faults, prize_faults
from promotrot.engine.rules import Fault
from promotrot.engine.situations import Choice, Mechanic, Situation

Chooser = Callable[[Sequence[tuple[Choice, Fraction]]], Fraction]
"""The value of a situation from its choices and the value of each."""


@dataclass(frozen=True, slots=True)
class Percentages:
    """The exact percentage of the price that the game returns, by way of playing."""

    worst: Fraction
    random: Fraction
    best: Fraction


@dataclass(frozen=True, slots=True)
class ProbabilisticType:
    """A type of the probabilistic mode with its four factors (15.II.3).

    `prize_percent` is the declared percentage, that of the worst way of playing. The mechanic holds
    the distribution of the prizes. Tiers are numbered from 1 in the order of `prizes`.
    """

    prize_percent: Fraction
    tickets: int
    price_cents: int
    prizes: tuple[Prize, ...]
    mechanic: Mechanic

    @property
    def takings_cents(self) -> int:
        """Return the takings if every ticket is sold."""
        return self.tickets * self.price_cents

    def percentages(self) -> Percentages:
        """Return the exact percentages of the worst, the uniformly random and the best way of
        playing.
        """
        return Percentages(*(self._percent(choose) for choose in (worst_of, any_of, best_of)))

    def kept_percent(self, minimum_percent: Fraction) -> Fraction:
        """Return the percentage that the closing must reach: the minimum of the regulation.

        The declared one is a mean over chance, which is not steered [P3].
        """
        return minimum_percent

    def _percent(self, choose: Chooser) -> Fraction:
        return Fraction(expected_cents(self.mechanic, self.prizes, choose) * 100, self.price_cents)


def worst_of(choices: Sequence[tuple[Choice, Fraction]]) -> Fraction:
    """Play so that each act returns the least."""
    return min(value for _, value in choices)


def best_of(choices: Sequence[tuple[Choice, Fraction]]) -> Fraction:
    """Play so that each act returns the most."""
    return max(value for _, value in choices)


def any_of(choices: Sequence[tuple[Choice, Fraction]]) -> Fraction:
    """Play any legal act, each with the same chance."""
    acts = sum(choice.acts for choice, _ in choices)
    return Fraction(sum((choice.acts * value for choice, value in choices), Fraction(0)), acts)


def expected_cents(mechanic: Mechanic, prizes: Sequence[Prize], choose: Chooser) -> Fraction:
    """Return the exact mean award of a way of playing, in cents."""
    return _values(mechanic, prizes, choose)[Situation()]


@dataclass(frozen=True, slots=True)
class Spread:
    """The awards of one ticket under a way of playing: the exact chance of each tier (0: none).

    Tiers that cannot be won are left out. `variance` is in square cents.
    """

    chances: Mapping[int, Fraction]
    mean_cents: Fraction
    variance: Fraction

    def deviation_cents(self, tickets: int) -> int:
        """Return the standard deviation of the awards of so many tickets, rounded down."""
        return isqrt(floor(self.variance * tickets))


def spread(mechanic: Mechanic, prizes: Sequence[Prize], choose: Chooser) -> Spread:
    """Return how the awards of `worst_of`, `any_of` or `best_of` spread, exactly.

    Where acts are worth the same, the first one is taken, as `policy` does.
    """
    values = _values(mechanic, prizes, choose)
    cents = [0, *(prize.value_cents for prize in prizes)]
    chances: dict[int, Fraction] = {}
    reached = {at: Fraction(0) for at in values} | {Situation(): Fraction(1)}
    for at in sorted(values, key=lambda at: (at.award is not None, len(at.trail), at.trail)):
        if at.award is not None:
            chances[at.award] = chances.get(at.award, Fraction(0)) + reached[at]
            continue
        for choice, part in _taken(mechanic.choices(at), values, choose):
            for outcome in choice.outcomes:
                reached[outcome.then] += reached[at] * part * Fraction(outcome.weight, choice.bound)
    won = {tier: chance for tier, chance in sorted(chances.items()) if chance}
    mean = sum((chance * cents[tier] for tier, chance in won.items()), Fraction(0))
    squares = sum((chance * cents[tier] ** 2 for tier, chance in won.items()), Fraction(0))
    return Spread(won, mean, squares - mean**2)


def _taken(
    choices: Sequence[Choice], values: Mapping[Situation, Fraction], choose: Chooser
) -> list[tuple[Choice, Fraction]]:
    """Return the choices that a way of playing takes in a situation, each with its chance."""
    if choose is any_of:
        acts = sum(choice.acts for choice in choices)
        return [(choice, Fraction(choice.acts, acts)) for choice in choices]
    means = [(choice, _mean(choice, values)) for choice in choices]
    best = choose(means)
    return [next((choice, Fraction(1)) for choice, mean in means if mean == best)]


def policy(mechanic: Mechanic, prizes: Sequence[Prize], choose: Chooser) -> Mapping[Situation, str]:
    """Return the choice that `worst_of` or `best_of` takes in each situation that is not an end."""
    values = _values(mechanic, prizes, choose)
    return {
        at: next(choice.name for choice in mechanic.choices(at) if _mean(choice, values) == value)
        for at, value in values.items()
        if at.award is None
    }


def faults(
    kind: ProbabilisticType, figures: GameFigures, *, day: date, rules_published: bool
) -> tuple[Fault, ...]:
    """Return every fault of a probabilistic type on the day of its approval.

    The worst way of playing must reach the minimum percentage [P3].
    """
    factors = rules.Plan(
        price_cents=kind.price_cents,
        tickets=kind.tickets,
        prizes=(),
        rules_published=rules_published,
        percent_published=kind.prize_percent > 0,
    )
    # There is no table of counted prizes here: the percentage is the mechanic's, measured below.
    faults_found = [f for f in rules.approve(factors, figures).faults if f.code != "prizes_too_low"]
    faults_found += prize_faults(kind.prizes, day=day, table="prizes")
    malformed = [*kind.mechanic.faults(len(kind.prizes))]
    if malformed or kind.price_cents < 1:
        return (*faults_found, *malformed)
    worst = kind.percentages().worst
    if worst < figures.minimum_prize_percent:
        detail = f"The worst way of playing gives {exact_json(worst)} %."
        faults_found.append(Fault("prizes_too_low", "15.III.6.2", detail, "$.mechanic"))
    return (*faults_found, *declared_faults(kind.prize_percent, worst))


def _values(
    mechanic: Mechanic, prizes: Sequence[Prize], choose: Chooser
) -> dict[Situation, Fraction]:
    """Return the mean award of every situation that can be reached."""
    cents = [0, *(prize.value_cents for prize in prizes)]
    values: dict[Situation, Fraction] = {}

    def evaluate(at: Situation) -> None:
        if at in values:
            return
        if at.award is not None:
            values[at] = Fraction(cents[at.award])
            return
        choices = mechanic.choices(at)
        for choice in choices:
            for outcome in choice.outcomes:
                evaluate(outcome.then)
        values[at] = choose([(choice, _mean(choice, values)) for choice in choices])

    evaluate(Situation())
    return values


def _mean(choice: Choice, values: Mapping[Situation, Fraction]) -> Fraction:
    total = sum((o.weight * values[o.then] for o in choice.outcomes), Fraction(0))
    return Fraction(total, choice.bound)

"""Compute the commission of premises: a dated percentage of the net sales of each game.

The sales of a day earn that day's rate. Days with one rate are added and rounded down once; the
premises lose less than a cent. Sales that left the takings (annulled at the counter, voided in
breach) earn nothing: the commission on them is taken back in the week in which they left, at the
rate of the day on which they were sold.
"""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from core.kernel.days import day_bounds
from core.kernel.money import parse_percent, percent_down
from core.statements.balances import Movement
from core.statements.columns import Column, games
from core.statements.models import CommissionRate, Statement


@dataclass(frozen=True, slots=True)
class Earned:
    """The commission of one game at one rate. `base_cents` is its net sales."""

    game: str
    percent: str
    base_cents: int
    cents: int


class Rates:
    """All rates on record, for queries about many premises and days."""

    def __init__(self) -> None:
        self._rates: dict[tuple[str, int | None], list[tuple[datetime.date, str]]] = {}
        for rate in CommissionRate.objects.order_by("in_force_from"):
            key = (rate.game, rate.premises_id)
            self._rates.setdefault(key, []).append((rate.in_force_from, rate.percent))

    def percent(self, game: str, premises_id: int, day: datetime.date) -> str:
        """Return the rate of the premises on that day, else the general rate, else "0"."""
        for key in ((game, premises_id), (game, None)):
            since = [percent for begins, percent in self._rates.get(key, []) if begins <= day]
            if since:
                return since[-1]
        return "0"


def unearned(
    first: datetime.date, last: datetime.date
) -> dict[tuple[str, int], dict[datetime.date, int]]:
    """Return, by (game, premises id) and day of the sale, the sales that left the takings on days
    from the first to the last.
    """
    since, until = day_bounds(first)[0], day_bounds(last)[1]
    sales: dict[tuple[str, int], dict[datetime.date, int]] = {}
    for game in games():
        for premises_id, day, cents in game.unearned(since, until):
            days = sales.setdefault((game.game, premises_id), {})
            days[day] = days.get(day, 0) + cents
    return sales


def earned(
    premises_id: int,
    moved: Iterable[Movement],
    left: Mapping[tuple[str, int], Mapping[datetime.date, int]],
    rates: Rates,
) -> list[Earned]:
    """Return the commission of the premises, sorted by game and rate."""
    bases: dict[tuple[str, str], int] = {}

    def add(game: str, day: datetime.date, cents: int) -> None:
        key = (game, rates.percent(game, premises_id, day))
        bases[key] = bases.get(key, 0) + cents

    for movement in moved:
        if movement.column is Column.SALES:
            add(movement.game, movement.day, movement.cents)
    for game in games():
        for day, cents in left.get((game.game, premises_id), {}).items():
            add(game.game, day, -cents)
    return [
        Earned(game, percent, base, _share(base, parse_percent(percent)))
        for (game, percent), base in sorted(bases.items())
    ]


def _share(base_cents: int, percent: Fraction) -> int:
    """Return the share, rounded down to the cent, for positive and negative amounts."""
    share = percent_down(abs(base_cents), percent)
    return share if base_cents >= 0 else -share


def stated(statement: Statement) -> dict[str, int]:
    """Return the commission of a statement's week, in cents by game."""
    earned: dict[str, int] = {}
    for part in statement.commission:
        earned[part["game"]] = earned.get(part["game"], 0) + part["commission_cents"]
    return earned

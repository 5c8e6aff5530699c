"""What premises earn of their sales: a dated percentage of what stands, game by game.

Each day's net sales earn that day's rate; days of one rate are added up and rounded down once, in
the premises' disfavour by less than a cent. Sales that left the takings again (annulled at the
counter, voided in breach) earn nothing, in whichever week that happens: the commission on them is
then taken back.
"""

import datetime
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from core.kernel.days import day_bounds
from core.kernel.money import parse_percent, percent_down
from core.statements.balances import Movement
from core.statements.columns import Column, games
from core.statements.models import CommissionRate


@dataclass(frozen=True, slots=True)
class Earned:
    """Commission of one game at one rate; `base_cents` is net sales."""

    game: str
    percent: str
    base_cents: int
    cents: int


class Rates:
    """All rates on record, to be asked for many premises and days."""

    def __init__(self) -> None:
        self._rates: dict[tuple[str, int | None], list[tuple[datetime.date, str]]] = {}
        for rate in CommissionRate.objects.order_by("in_force_from"):
            key = (rate.game, rate.premises_id)
            self._rates.setdefault(key, []).append((rate.in_force_from, rate.percent))

    def percent(self, game: str, premises_id: int, day: datetime.date) -> str:
        """The premises' own rate on that day, else everybody's, else "0"."""
        for key in ((game, premises_id), (game, None)):
            since = [percent for begins, percent in self._rates.get(key, []) if begins <= day]
            if since:
                return since[-1]
        return "0"


def unearned(
    first: datetime.date, last: datetime.date
) -> dict[tuple[str, int], dict[datetime.date, int]]:
    """(game, premises id) -> by day, sales that left the takings otherwise than at the counter."""
    since, until = day_bounds(first)[0], day_bounds(last)[1]
    found: dict[tuple[str, int], dict[datetime.date, int]] = {}
    for game in games():
        for premises_id, day, cents in game.unearned(since, until):
            days = found.setdefault((game.game, premises_id), {})
            days[day] = days.get(day, 0) + cents
    return found


def earned(
    premises_id: int,
    moved: Iterable[Movement],
    left: Mapping[tuple[str, int], Mapping[datetime.date, int]],
    rates: Rates,
) -> list[Earned]:
    """What premises earned, by game and rate, in the order of both."""
    bases: dict[tuple[str, str], int] = {}

    def add(game: str, day: datetime.date, cents: int) -> None:
        key = (game, rates.percent(game, premises_id, day))
        bases[key] = bases.get(key, 0) + cents

    for movement in moved:
        if movement.column in (Column.SALES, Column.ANNULMENTS):
            add(movement.game, movement.day, movement.cents)
    for game in games():
        for day, cents in left.get((game.game, premises_id), {}).items():
            add(game.game, day, -cents)
    return [
        Earned(game, percent, base, _share(base, parse_percent(percent)))
        for (game, percent), base in sorted(bases.items())
    ]


def _share(base_cents: int, percent: Fraction) -> int:
    """Down to the cent, whichever way it goes."""
    share = percent_down(abs(base_cents), percent)
    return share if base_cents >= 0 else -share

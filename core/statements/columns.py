"""Assign transfers to the columns of premises' accounts, and name the sales that earn commission.

Each game lists as `MOVEMENTS` in its `movements.py` which kinds of its transfers are sales and
which annul them, the account that pays commission, and the sales that earn none. A kind that no
game lists is shown as another movement, so an account always adds up.
"""

import datetime
import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from core.contributions import contributed_by_name
from core.ledger.services import AccountCode
from core.payoffice.postings import PRIZE, REFUND

COMMISSION_KIND = "statements.commission"
REMITTANCE_KIND = "statements.remittance"


class Column(enum.StrEnum):
    """The columns of a statement."""

    SALES = "sales"
    ANNULMENTS = "annulments"
    PRIZES = "prizes"
    COMMISSION = "commission"
    SETTLED = "settled"
    OTHER = "other"


_OF_NO_GAME = {
    COMMISSION_KIND: Column.COMMISSION,
    REMITTANCE_KIND: Column.SETTLED,
    PRIZE: Column.PRIZES,
    REFUND: Column.PRIZES,
}
Unearned = Callable[
    [datetime.datetime, datetime.datetime], Iterable[tuple[int, datetime.date, int]]
]


def _nothing(
    since: datetime.datetime, until: datetime.datetime
) -> Iterable[tuple[int, datetime.date, int]]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GameMovements:
    """The movements of a game. `commission_from` is the organiser's account that pays commission.

    `unearned(since, until)` returns the sales that left the takings at `since <= x < until`, at the
    counter or later: (premises id, day of the sale, cents).
    """

    game: str
    sales: frozenset[str]
    annulments: frozenset[str]
    commission_from: AccountCode
    unearned: Unearned = _nothing


def games() -> list[GameMovements]:
    """Return the movements of every game, sorted by game. Raises ContributedTwice."""
    by_game = contributed_by_name("movements", "MOVEMENTS", key="game")
    return [movements for _, movements in sorted(by_game.items())]


@cache
def _columns() -> dict[str, tuple[str, Column]]:
    """Return game (empty for none) and column by kind of transfer."""
    columns = {kind: ("", column) for kind, column in _OF_NO_GAME.items()}
    for movements in games():
        columns |= dict.fromkeys(movements.sales, (movements.game, Column.SALES))
        columns |= dict.fromkeys(movements.annulments, (movements.game, Column.ANNULMENTS))
    return columns


def column_of(kind: str) -> tuple[str, Column]:
    """Return the game (empty for none) and the column of a kind of transfer."""
    return _columns().get(kind, ("", Column.OTHER))

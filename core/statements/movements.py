"""How transfers show on premises' running accounts, and what sales earn a commission.

Each game says which kinds of its transfers are sales and which annul them, where commission is
paid from, and what of its sales earns none. Kinds that nobody names are shown as other movements:
an account always adds up.
"""

import datetime
import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from core.ledger.services import AccountCode

COMMISSION_KIND = "statements.commission"
REMITTANCE_KIND = "statements.remittance"


class Column(enum.StrEnum):
    """What a movement is, on a statement."""

    SALES = "sales"
    ANNULMENTS = "annulments"
    PRIZES = "prizes"
    COMMISSION = "commission"
    SETTLED = "settled"
    OTHER = "other"


Unearned = Callable[
    [datetime.datetime, datetime.datetime], Iterable[tuple[int, datetime.date, int]]
]


def _nothing(
    since: datetime.datetime, until: datetime.datetime
) -> Iterable[tuple[int, datetime.date, int]]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GameMovements:
    """`commission_from` is the organiser's account that premises' commissions come out of.

    `unearned(since, until)` gives, for `since <= x < until`, what was taken out of the takings
    again without being given back at the counter: (premises id, day, cents).
    """

    game: str
    sales: frozenset[str]
    annulments: frozenset[str]
    commission_from: AccountCode
    unearned: Unearned = _nothing


_games: dict[str, GameMovements] = {}
_columns: dict[str, tuple[str, Column]] = {
    COMMISSION_KIND: ("", Column.COMMISSION),
    REMITTANCE_KIND: ("", Column.SETTLED),
}


def register(movements: GameMovements) -> GameMovements:
    """Show a game's movements, and pay commission on its sales."""
    _games[movements.game] = movements
    for kind in movements.sales:
        _columns[kind] = (movements.game, Column.SALES)
    for kind in movements.annulments:
        _columns[kind] = (movements.game, Column.ANNULMENTS)
    return movements


def register_prizes(*kinds: str, game: str = "") -> None:
    """Show transfers of these kinds as paid to players."""
    for kind in kinds:
        _columns[kind] = (game, Column.PRIZES)


def games() -> list[GameMovements]:
    return [_games[name] for name in sorted(_games)]


def column_of(kind: str) -> tuple[str, Column]:
    """The game (empty for none) and column of a kind of transfer."""
    return _columns.get(kind, ("", Column.OTHER))

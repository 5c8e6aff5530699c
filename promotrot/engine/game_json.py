"""Reading a game's definition from its document, `promotrot-game/1`, strictly.

What the document says may still fail its approval (game.py); here it is only understood, whole or
not at all. The shipped games are such documents.
"""

import json
from collections.abc import Callable, Mapping
from datetime import date
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Final, TypeVar

from core.kernel.errors import Invalid
from core.kernel.money import MAX_CENTS, BadPercent, parse_percent
from promotrot.engine.game import Game, PredrawnGame, ProbabilisticGame, Texts
from promotrot.engine.mechanics import Deal, Hidden, Ladder, Mechanic, Rung, Way
from promotrot.engine.presentation import Letters, NumberMatch, Presentation, Symbols
from promotrot.engine.prize_table import InKind, PredrawnType, Prize, Tier
from promotrot.engine.strategies import ProbabilisticType

FORMAT: Final = "promotrot-game/1"
MAX_ITEMS: Final = 128
MAX_TICKETS: Final = 1_000_000_000
_MAX_CELLS: Final = 25
_MAX_NUMBER: Final = 99

T = TypeVar("T")


class GameRefused(Invalid):
    """A document that is not a game's; `data["place"]` says where it fails."""

    code = "game_refused"
    message = "The document does not define a game."


def read_game(document: object) -> Game:
    """Read a game's document. Raises GameRefused at the first thing that is not understood."""
    table = Table(document, "$")
    if table.text("format") != FORMAT:
        raise table.wrong("format", f"it is {FORMAT!r}")
    mode = table.text("mode")
    if mode not in ("predrawn", "probabilistic"):
        raise table.wrong("mode", "it is 'predrawn' or 'probabilistic'")
    game = _predrawn(table) if mode == "predrawn" else _probabilistic(table)
    table.finish()
    return game


@cache
def shipped() -> tuple[Game, ...]:
    """The games that come with the code, by file name."""
    folder = resources.files("promotrot").joinpath("games")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".json")), key=lambda f: f.name)
    return tuple(read_game(json.loads(file.read_text("utf-8"))) for file in files)


class Table:
    """An object of the document being read: what is left unread at the end is refused."""

    def __init__(self, value: object, place: str) -> None:
        if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
            raise GameRefused(f"{place}: an object is needed", place=place)
        self.place = place
        self._values: Mapping[str, object] = value
        self.unread = {*value}

    def get(self, key: str) -> object:
        self.unread.discard(key)
        return self._values.get(key)

    def wrong(self, key: str, why: str) -> GameRefused:
        place = f"{self.place}.{key}"
        return GameRefused(f"{place}: {why}", place=place)

    def finish(self) -> None:
        for key in sorted(self.unread):
            raise self.wrong(key, "nothing of that name belongs here")

    def text(self, key: str) -> str:
        value = self.get(key)
        if not isinstance(value, str):
            raise self.wrong(key, "a text is needed")
        return value

    def whole(self, key: str, most: int, least: int = 0) -> int:
        value = self.get(key)
        if type(value) is not int or not least <= value <= most:
            raise self.wrong(key, f"a whole number from {least} to {most} is needed")
        return value

    def optional(self, key: str, most: int, default: int) -> int:
        return self.whole(key, most) if key in self.unread else default

    def many(
        self, key: str, read: Callable[["Table", str], T], most: int = MAX_ITEMS
    ) -> tuple[T, ...]:
        """A list, each item read by `read(items, key)`, where `key` names it in the place."""
        value = self.get(key)
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            raise self.wrong(key, f"a list of 1 to {most} items is needed")
        items = Table({f"{key}[{at}]": item for at, item in enumerate(value)}, self.place)
        return tuple(read(items, f"{key}[{at}]") for at in range(len(value)))

    def texts(self, key: str) -> tuple[str, ...]:
        return self.many(key, lambda items, at: items.text(at))

    def wholes(self, key: str, most: int) -> tuple[int, ...]:
        return self.many(key, lambda items, at: items.whole(at, most))

    def tables(
        self, key: str, read: Callable[["Table"], T], most: int = MAX_ITEMS
    ) -> tuple[T, ...]:
        return self.many(key, lambda items, at: items.table(at, read), most)

    def table(self, key: str, read: Callable[["Table"], T]) -> T:
        inner = Table(self.get(key), f"{self.place}.{key}")
        result = read(inner)
        inner.finish()
        return result

    def mapping(self, key: str) -> dict[str, str]:
        """Texts by identifier; nothing when absent."""
        if key not in self.unread:
            return {}
        return self.table(key, lambda inner: {name: inner.text(name) for name in [*inner.unread]})


def _predrawn(table: Table) -> Game:
    percent, tickets, price_cents = _factors(table)
    tiers = table.tables("tiers", _tier)
    return PredrawnGame(
        code=table.text("code"),
        kind=PredrawnType(percent, tickets, price_cents, tiers),
        block_tickets=table.whole("block_tickets", MAX_TICKETS),
        presentation=table.table("presentation", _presentation),
        texts=table.table("texts", _texts),
    )


def _probabilistic(table: Table) -> Game:
    percent, tickets, price_cents = _factors(table)
    prizes = table.tables("prizes", read_prize)
    mechanic = table.table("mechanic", _mechanic)
    return ProbabilisticGame(
        code=table.text("code"),
        kind=ProbabilisticType(percent, tickets, price_cents, prizes, mechanic),
        texts=table.table("texts", _texts),
    )


def _factors(table: Table) -> tuple[Fraction, int, int]:
    try:
        percent = parse_percent(table.get("prize_percent"))
    except BadPercent as error:
        raise table.wrong("prize_percent", error.detail) from error
    return percent, table.whole("tickets", MAX_TICKETS), table.whole("price_cents", MAX_CENTS)


def _tier(table: Table) -> Tier:
    return Tier(read_prize(table), table.whole("count", MAX_TICKETS))


def read_prize(table: Table) -> Prize:
    if "in_kind" in table.unread:
        return Prize(in_kind=table.table("in_kind", _in_kind))
    return Prize(table.whole("cash_cents", MAX_CENTS))


def _in_kind(table: Table) -> InKind:
    """What is not there yet is read as such: the approval names it [P4]."""
    known = table.unread & {"equivalent_cents", "source", "valued_on"}
    return InKind(
        description=table.text("description"),
        equivalent_cents=(
            table.whole("equivalent_cents", MAX_CENTS) if "equivalent_cents" in known else None
        ),
        source=table.text("source") if "source" in known else "",
        valued_on=_day(table, "valued_on") if "valued_on" in known else None,
    )


def _day(table: Table, key: str) -> date:
    try:
        return date.fromisoformat(table.text(key))
    except ValueError as error:
        raise table.wrong(key, "a day, YYYY-MM-DD, is needed") from error


def _presentation(table: Table) -> Presentation:
    kind = table.text("kind")
    if kind == "numbers":
        return NumberMatch(
            highest=table.whole("highest", _MAX_NUMBER, 1),
            winners=table.whole("winners", _MAX_CELLS, 1),
            yours=table.whole("yours", _MAX_CELLS, 1),
            matches=table.wholes("matches", _MAX_CELLS),
        )
    if kind not in ("symbols", "letters"):
        raise table.wrong("kind", "it is 'symbols', 'letters' or 'numbers'")
    columns, rows = table.whole("columns", _MAX_CELLS, 1), table.whole("rows", _MAX_CELLS, 1)
    if columns * rows > _MAX_CELLS:
        raise table.wrong("rows", f"a picture has at most {_MAX_CELLS} cells")
    signs = table.texts("signs")
    if kind == "letters":
        return Letters(columns, rows, signs, table.texts("words"))
    return Symbols(columns, rows, table.whole("match", _MAX_CELLS), signs, table.texts("winning"))


def _mechanic(table: Table) -> Mechanic:
    kind = table.text("kind")
    if kind == "ladder":
        return Ladder(table.tables("rungs", _rung))
    if kind != "hidden":
        raise table.wrong("kind", "it is 'hidden' or 'ladder'")
    return Hidden(
        openings=table.whole("openings", MAX_ITEMS),
        changeable=frozenset(table.wholes("changeable", MAX_ITEMS)),
        deals=table.tables("deals", _deal),
    )


def _deal(table: Table) -> Deal:
    return Deal(table.whole("weight", MAX_TICKETS), table.wholes("contents", MAX_ITEMS))


def _rung(table: Table) -> Rung:
    return Rung(
        stop=table.whole("stop", MAX_ITEMS) if "stop" in table.unread else None,
        ways=table.tables("ways", _way) if "ways" in table.unread else (),
    )


def _way(table: Table) -> Way:
    return Way(
        name=table.text("name"),
        up=table.whole("up", MAX_TICKETS),
        of=table.whole("of", MAX_TICKETS),
        rise=table.optional("rise", MAX_ITEMS, default=1),
        fall=table.optional("fall", MAX_ITEMS, default=0),
    )


def _texts(table: Table) -> dict[str, Texts]:
    return {language: table.table(language, _text) for language in sorted(table.unread)}


def _text(table: Table) -> Texts:
    return Texts(
        name=table.text("name"),
        rules=table.texts("rules"),
        prizes=table.mapping("prizes"),
        labels=table.mapping("labels"),
    )

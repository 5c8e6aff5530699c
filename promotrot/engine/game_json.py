"""Read a game's definition from its document, `promotrot-game/1`, strictly, and write it.

A document is read whole, or refused with the place of its fault. Its content may still fail the
approval (game.py). The shipped games are such documents.
"""

import re
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Final

from core.kernel.canonical import Json
from core.kernel.documents import Table, loads
from core.kernel.errors import Invalid
from core.kernel.money import MAX_CENTS, percent_text
from promotrot.engine.game import Game, PredrawnGame, ProbabilisticGame, Texts
from promotrot.engine.mechanics.hidden import Hidden
from promotrot.engine.mechanics.ladder import Ladder, Way
from promotrot.engine.presentation import Letters, NumberMatch, Presentation, Symbols
from promotrot.engine.prize_table import InKind, PredrawnType, Prize, Tier
from promotrot.engine.situations import Mechanic
from promotrot.engine.strategies import ProbabilisticType

FORMAT: Final = "promotrot-game/1"
MAX_TICKETS: Final = 1_000_000_000
MAX_CELLS: Final = 25
MAX_NUMBER: Final = 99
MAX_CODE_CHARS: Final = 40
MAX_THING_CHARS: Final = 60
MAX_SOURCE_CHARS: Final = 400
MECHANICS: Final[dict[str, type[Mechanic]]] = {"hidden": Hidden, "ladder": Ladder}
"""The ways of playing a probabilistic game, by the kind that a definition names."""
CODE: Final = f"[a-z0-9-]{{1,{MAX_CODE_CHARS}}}"
"""A game's code is part of addresses and of the references in the public log."""


class GameRefused(Invalid):
    """A document that is not a game's; `data["place"]` says where it fails."""

    code = "game_refused"
    message = "The document does not define a game."


def read_game(document: object) -> Game:
    """Read a game's document. Raises GameRefused at the first thing that is not understood."""
    table = Table(document, "$", GameRefused)
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
    return tuple(read_game(loads(file.read_text("utf-8"))) for file in files)


def _predrawn(table: Table) -> Game:
    percent, tickets, price_cents = _factors(table)
    tiers = table.tables("tiers", _tier)
    return PredrawnGame(
        code=_code(table),
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
        code=_code(table),
        kind=ProbabilisticType(percent, tickets, price_cents, prizes, mechanic),
        texts=table.table("texts", _texts),
    )


def _code(table: Table) -> str:
    code = table.text("code")
    if not re.fullmatch(CODE, code):
        why = f"1 to {MAX_CODE_CHARS} small letters, digits and hyphens are needed"
        raise table.wrong("code", why)
    return code


def _factors(table: Table) -> tuple[Fraction, int, int]:
    percent = table.percent("prize_percent")
    return percent, table.whole("tickets", MAX_TICKETS), table.whole("price_cents", MAX_CENTS)


def _tier(table: Table) -> Tier:
    return Tier(read_prize(table), table.whole("count", MAX_TICKETS))


def read_prize(table: Table) -> Prize:
    if "in_kind" in table.unread:
        return Prize(in_kind=table.table("in_kind", _in_kind))
    return Prize(table.whole("cash_cents", MAX_CENTS))


def _in_kind(table: Table) -> InKind:
    """Return a prize in kind. Its value may be missing: the approval then refuses the game [P4]."""
    present = table.unread.keys() & {"equivalent_cents", "source", "valued_on"}
    return InKind(
        description=_short(table, "description", MAX_THING_CHARS, least=1),
        equivalent_cents=(
            table.whole("equivalent_cents", MAX_CENTS) if "equivalent_cents" in present else None
        ),
        source=_short(table, "source", MAX_SOURCE_CHARS) if "source" in present else "",
        valued_on=table.day("valued_on") if "valued_on" in present else None,
    )


def _short(table: Table, key: str, most: int, least: int = 0) -> str:
    text = table.text(key)
    if not least <= len(text) <= most:
        raise table.wrong(key, f"a text of {least} to {most} characters is needed")
    return text


def _presentation(table: Table) -> Presentation:
    kind = table.text("kind")
    if kind == "numbers":
        return NumberMatch(
            highest=table.whole("highest", MAX_NUMBER, 1),
            winners=table.whole("winners", MAX_CELLS, 1),
            yours=table.whole("yours", MAX_CELLS, 1),
            matches=table.wholes("matches", MAX_CELLS),
        )
    if kind not in ("symbols", "letters"):
        raise table.wrong("kind", "it is 'symbols', 'letters' or 'numbers'")
    columns, rows = table.whole("columns", MAX_CELLS, 1), table.whole("rows", MAX_CELLS, 1)
    if columns * rows > MAX_CELLS:
        raise table.wrong("rows", f"a picture has at most {MAX_CELLS} cells")
    signs = table.texts("signs")
    if kind == "letters":
        return Letters(columns, rows, signs, table.texts("words"))
    return Symbols(columns, rows, table.whole("match", MAX_CELLS), signs, table.texts("winning"))


def _mechanic(table: Table) -> Mechanic:
    mechanic = MECHANICS.get(table.text("kind"))
    if mechanic is None:
        raise table.wrong("kind", f"it is {' or '.join(map(repr, MECHANICS))}")
    return mechanic.read(table)


def _texts(table: Table) -> dict[str, Texts]:
    return {language: table.table(language, _text) for language in sorted(table.unread)}


def _text(table: Table) -> Texts:
    return Texts(
        name=table.text("name"),
        rules=table.texts("rules"),
        prizes=table.mapping("prizes"),
        labels=table.mapping("labels"),
    )


def write_game(game: Game) -> dict[str, Json]:
    """Return the document that defines a game, in one form: `read_game` reads the same game."""
    document: dict[str, Json] = {
        "format": FORMAT,
        "code": game.code,
        "mode": "predrawn" if isinstance(game, PredrawnGame) else "probabilistic",
        **write_factors(game),
    }
    if isinstance(game, PredrawnGame):
        document["block_tickets"] = game.block_tickets
        document["presentation"] = game.presentation.document()
    document["texts"] = {language: _written(texts) for language, texts in game.texts.items()}
    return document


def write_factors(game: Game) -> dict[str, Json]:
    """Return the four factors of a game (15.II.2), in one form whatever its document's is."""
    kind = game.kind
    factors: dict[str, Json] = {
        "prize_percent": percent_text(kind.prize_percent),
        "tickets": kind.tickets,
        "price_cents": kind.price_cents,
    }
    if isinstance(kind, PredrawnType):
        tiers: list[Json] = [
            {**write_prize(tier.prize), "count": tier.count} for tier in kind.tiers
        ]
        return factors | {"tiers": tiers}
    prizes: list[Json] = [write_prize(prize) for prize in kind.prizes]
    return factors | {"prizes": prizes, "mechanic": _mechanic_written(kind.mechanic)}


def _mechanic_written(mechanic: Mechanic) -> Json:
    """Return a mechanic without what a rung lacks and what is usual for a way."""
    if not isinstance(mechanic, Ladder):
        return mechanic.document()
    rungs: list[Json] = []
    for rung in mechanic.rungs:
        written: dict[str, Json] = {} if rung.stop is None else {"stop": rung.stop}
        if rung.ways:
            written["ways"] = [_way_written(way) for way in rung.ways]
        rungs.append(written)
    return {"kind": "ladder", "rungs": rungs}


def _way_written(way: Way) -> dict[str, Json]:
    written: dict[str, Json] = {"name": way.name, "up": way.up, "of": way.of}
    if way.rise != 1:
        written["rise"] = way.rise
    if way.fall:
        written["fall"] = way.fall
    return written


def write_prize(prize: Prize) -> dict[str, Json]:
    """Return a prize as `read_prize` reads it, without what it lacks."""
    thing = prize.in_kind
    if thing is None:
        return {"cash_cents": prize.cash_cents}
    written: dict[str, Json] = {"description": thing.description}
    if thing.equivalent_cents is not None:
        written["equivalent_cents"] = thing.equivalent_cents
    if thing.source:
        written["source"] = thing.source
    if thing.valued_on is not None:
        written["valued_on"] = thing.valued_on.isoformat()
    return {"in_kind": written}


def _written(texts: Texts) -> dict[str, Json]:
    named: dict[str, Json] = {"prizes": {**texts.prizes}, "labels": {**texts.labels}}
    written = {key: value for key, value in named.items() if value}
    return {"name": texts.name, "rules": [*texts.rules], **written}

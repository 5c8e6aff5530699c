"""Read games and emissions as objects of the engine."""

import re
from dataclasses import replace
from datetime import datetime
from functools import cache
from importlib import resources

from django.db.models import QuerySet

from core.database.kept import kept
from promotrot.engine.game import Game, PredrawnGame
from promotrot.engine.game_json import read_game
from promotrot.engine.plan_json import read_plan
from promotrot.engine.presentation import Symbols
from promotrot.models.emission import Emission
from promotrot.models.game import GameVersion

_KEPT = 256
_SYMBOL = re.compile(r'<symbol id="([a-z0-9-]+)"')


@kept(most=_KEPT)
def version_game(version_id: int) -> Game:
    """Return the game that a recorded version defines. Versions never change, so it is kept in
    memory.
    """
    return read_game(GameVersion.objects.values_list("document", flat=True).get(pk=version_id))


def emission_game(emission: Emission) -> Game:
    """Return the game of an emission. A pre-drawn game has the emission's extra tiers.

    Pictures and texts are those of the approved version.
    """
    game = version_game(emission.approval.version_id)
    if isinstance(game, PredrawnGame) and emission.extra_cents:
        return replace(game, kind=replace(game.kind, tiers=read_plan(emission.plan).tiers))
    return game


def recorded_versions() -> QuerySet[GameVersion]:
    """Return every version on record with its game and approval."""
    return GameVersion.objects.select_related("game__type", "approval")


def approved_before(code: str, at: datetime | None = None) -> GameVersion | None:
    """Return the newest version of a game that was approved before an instant (None: by now)."""
    approved = GameVersion.objects.filter(game__code=code, approval__isnull=False)
    if at is not None:
        approved = approved.filter(approval__approved_at__lt=at)
    newest: GameVersion | None = approved.order_by("-version").first()
    return newest


def artwork_missing(game: Game) -> list[str]:
    """Return the signs of a game's pictures that `signs.svg` does not draw."""
    if isinstance(game, PredrawnGame) and isinstance(game.presentation, Symbols):
        return [sign for sign in game.presentation.signs if sign not in drawn_signs()]
    return []


@cache
def drawn_signs() -> tuple[str, ...]:
    """Return the signs that `signs.svg` draws, in its order."""
    sheet = resources.files("promotrot").joinpath("static", "promotrot", "signs.svg")
    return tuple(_SYMBOL.findall(sheet.read_text("utf-8")))

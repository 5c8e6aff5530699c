"""Games and emissions as the engine knows them."""

from dataclasses import replace
from functools import lru_cache

from django.db import connection
from django.db.models import QuerySet

from promotrot.engine.game import Game, PredrawnGame
from promotrot.engine.game_json import read_game
from promotrot.engine.plan_json import read_plan
from promotrot.models.emission import Emission
from promotrot.models.game import GameVersion

_KEPT = 256


def version_game(version_id: int) -> Game:
    """The game that a recorded version defines. Versions never change: it is kept in memory."""
    return _version_game(str(connection.settings_dict["NAME"]), version_id)


@lru_cache(maxsize=_KEPT)
def _version_game(database: str, version_id: int) -> Game:
    return read_game(GameVersion.objects.values_list("document", flat=True).get(pk=version_id))


def emission_game(emission: Emission) -> Game:
    """The game as this emission plays it: a pre-drawn one with the emission's extra tiers.

    Its pictures and texts are the approved version's.
    """
    game = version_game(emission.approval.version_id)
    if isinstance(game, PredrawnGame) and emission.extra_cents:
        return replace(game, kind=replace(game.kind, tiers=read_plan(emission.plan).tiers))
    return game


def recorded_versions() -> QuerySet[GameVersion]:
    """Every version on record, with its game and approval."""
    return GameVersion.objects.select_related("game__type", "approval")

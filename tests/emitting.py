"""Games and emissions for tests, brought by the services as far as the test wants."""

import copy
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.models.game import Game, GameVersion
from promotrot.services.closing import emission_close_propose
from promotrot.services.emissions import (
    emission_commit,
    emission_get,
    emission_open,
    emission_plan,
    witness_enter,
)
from promotrot.services.games import game_approve_propose, game_record
from tests import factories

SMALL_TIERS = ({"cash_cents": 2000, "count": 2}, {"cash_cents": 100, "count": 100})
"""140.00 of 200.00: exactly 70 % of 200 tickets at 1.00."""


def document(name: str, **changes: Any) -> dict[str, Any]:
    """The document of a shipped game with some of its keys changed; None leaves one out."""
    text = resources.files("promotrot").joinpath("games", f"{name}.json").read_text("utf-8")
    changed = copy.deepcopy(json.loads(text)) | changes
    return {key: value for key, value in changed.items() if value is not None}


def small(code: str = "small", **changes: Any) -> dict[str, Any]:
    """A pre-drawn game of 200 tickets at 1.00 in one block, 70 % of it in prizes of two tiers."""
    signs = ["trophy", "sulky", "horseshoe", "stopwatch", "helmet", "bell"]
    shown = document("lap-of-honour")
    picture = {
        "kind": "symbols", "columns": 3, "rows": 3, "match": 3, "signs": signs,
        "winning": signs[:2],
    }  # fmt: skip
    base = {
        "code": code, "tickets": 200, "block_tickets": 200, "price_cents": 100,
        "prize_percent": "70", "tiers": [*SMALL_TIERS], "presentation": picture,
    }  # fmt: skip
    return shown | base | changes


def both(proposal: Proposal) -> None:
    """A second organiser confirms."""
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))


def recorded(definition: Mapping[str, Any]) -> GameVersion:
    return game_record(by=factories.staff(Role.ORGANISER), document=definition)


def approved(definition: Mapping[str, Any]) -> Game:
    """The game of a definition, approved by two persons."""
    version = recorded(definition)
    both(game_approve_propose(by=factories.staff(Role.ORGANISER), version=version))
    return version.game


def planned(game: Game, **terms: Any) -> Emission:
    return emission_plan(by=factories.staff(Role.ORGANISER), game=game, **terms)


def committed(emission: Emission) -> Emission:
    return emission_commit(by=factories.staff(Role.ORGANISER), emission=emission)


def witnessed(emission: Emission, entropy: str = "6 1 5 2 2 4") -> Emission:
    return witness_enter(
        by=factories.staff(Role.INSPECTOR), emission=emission, entropy=entropy, method="Dice"
    )


def opened(definition: Mapping[str, Any] | Game, **terms: Any) -> Emission:
    """An emission on sale: of a game, or of the game of a definition, approved first."""
    game = definition if isinstance(definition, Game) else approved(definition)
    emission = planned(game, **terms)
    if emission.dealt:
        emission = witnessed(committed(emission))
    return emission_open(by=factories.staff(Role.ORGANISER), emission=emission)


def closed(emission: Emission) -> Emission:
    """The emission closed by two persons."""
    both(emission_close_propose(by=factories.staff(Role.ORGANISER), emission=emission))
    return emission_get(emission.reference)

"""Make games and emissions for tests, with the services, up to the state that the test wants."""

import copy
import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import resources
from types import SimpleNamespace
from typing import Any
from unittest import mock

from core.database import clock
from core.kernel.days import natural_day
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from promotrot.engine.game import PredrawnGame
from promotrot.engine.game_json import read_game
from promotrot.engine.plan import make_plan
from promotrot.engine.rules import too_old
from promotrot.engine.shuffle import block_prizes, commitment, mixed_key
from promotrot.models.emission import Emission
from promotrot.models.game import Game, GameVersion
from promotrot.models.play import PlayTicket
from promotrot.selectors.things import valuations_of
from promotrot.services.closing import emission_close_propose
from promotrot.services.dealing import dealing
from promotrot.services.emissions import (
    emission_commit,
    emission_get,
    emission_open_propose,
    emission_plan,
    witness_enter,
)
from promotrot.services.games import game_approve_propose, game_record
from promotrot.services.playing import play_act, play_state
from promotrot.services.selling import PlayRequest, play_sell
from promotrot.services.valuing import valuation_record
from tests.support import factories
from tests.support.factories.places import games_displayed

ENTROPY = " ".join("6152244136" * 5)
SMALL_TIERS = ({"cash_cents": 400, "count": 2}, {"cash_cents": 100, "count": 20})
"""28.00 of 40.00: exactly 70 % of 40 tickets at 1.00."""


def document(name: str, **changes: Any) -> dict[str, Any]:
    """Return the document of a shipped game with some keys changed. None removes a key."""
    text = resources.files("promotrot").joinpath("games", f"{name}.json").read_text("utf-8")
    changed = copy.deepcopy(json.loads(text)) | changes
    return {key: value for key, value in changed.items() if value is not None}


def small(code: str = "small", **changes: Any) -> dict[str, Any]:
    """Return a pre-drawn game of 40 tickets at 1.00 in one block, 70 % of it in prizes of two
    tiers.
    """
    signs = ["trophy", "sulky", "horseshoe", "stopwatch", "helmet", "bell"]
    usual = document("lap-of-honour")
    picture = {
        "kind": "symbols",
        "columns": 3,
        "rows": 3,
        "match": 3,
        "signs": signs,
        "winning": signs[:2],
    }
    base = {
        "code": code,
        "tickets": 40,
        "block_tickets": 40,
        "price_cents": 100,
        "prize_percent": "70",
        "tiers": [*SMALL_TIERS],
        "presentation": picture,
    }
    return usual | base | changes


def both(proposal: Proposal) -> None:
    """Confirm a proposal as a second organiser."""
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))


def recorded(definition: Mapping[str, Any]) -> GameVersion:
    return game_record(by=factories.staff(Role.ORGANISER), document=definition)


def approved(definition: Mapping[str, Any]) -> Game:
    """Return the game of a definition, approved by two persons and displayed at every terminal."""
    version = recorded(definition)
    both(game_approve_propose(by=factories.staff(Role.ORGANISER), version=version))
    games_displayed()
    return version.game


def planned(game: Game, **terms: Any) -> Emission:
    return emission_plan(by=factories.staff(Role.ORGANISER), game=game, **terms)


def committed(emission: Emission, entropy: str = ENTROPY) -> Emission:
    """Commit to as many dice as the text has."""
    by, pieces = factories.staff(Role.ORGANISER), len(entropy.replace(" ", ""))
    return emission_commit(by=by, emission=emission, source="dice", pieces=pieces)


def witnessed(emission: Emission, entropy: str = ENTROPY) -> Emission:
    return witness_enter(
        by=factories.staff(Role.INSPECTOR), emission=emission, source="dice", text=entropy
    )


def seed_where(
    reference: str, wanted: Callable[[bytes], bool], definition: Mapping[str, Any] | None = None
) -> bytes:
    """Return a seed under which the one block of a small game's emission has the wanted tiers."""
    game = read_game(definition or small())
    assert isinstance(game, PredrawnGame)
    plan = make_plan(game.kind, game.kind.prize_percent, block_tickets=game.block_tickets)
    for number in range(100_000):
        seed = number.to_bytes(32, "big")
        key = mixed_key(seed, commitment(seed, reference, plan), ENTROPY.encode())
        if wanted(block_prizes(key, reference, plan, 0)):
            return seed
    raise AssertionError("no such seed")


@contextmanager
def seeded(seed: bytes) -> Iterator[None]:
    """Use that seed for the emissions committed to inside the block."""
    maker = SimpleNamespace(token_bytes=lambda size: seed)
    with mock.patch("promotrot.services.emissions.secrets", maker):
        yield


def opened(definition: Mapping[str, Any] | Game, **terms: Any) -> Emission:
    """Return an emission on sale, of a game or of the game of a definition, which is approved
    first.
    """
    game = definition if isinstance(definition, Game) else approved(definition)
    emission = planned(game, **terms)
    if emission.dealt:
        emission = witnessed(committed(emission))
    return open_now(emission)


def open_now(emission: Emission) -> Emission:
    """Open the emission, with its things valued again where that was too long ago."""
    day = natural_day(clock.now())
    for old in too_old(valuations_of(emission), day):
        by = factories.staff(Role.ORGANISER)
        valuation_record(by=by, emission=emission, tier=old.tier, source="Shops", valued_on=day)
    both(emission_open_propose(by=factories.staff(Role.ORGANISER), emission=emission))
    return emission_get(emission.reference)


def closed(emission: Emission) -> Emission:
    """Close the emission by two persons."""
    both(emission_close_propose(by=factories.staff(Role.ORGANISER), emission=emission))
    return emission_get(emission.reference)


def sold(emission: Emission, tickets: int, point: factories.Point | None = None) -> list[uuid.UUID]:
    """Sell tickets at a terminal and do not play them."""
    point = point or factories.point()
    wanted = [PlayRequest(new_uuid(), emission.pk, emission.price_cents) for _ in range(tickets)]
    for request in wanted:
        play_sell(credentials=point.credentials, request=request)
    return [request.uuid for request in wanted]


def buy(point: factories.Point, emission: Emission) -> PlayTicket:
    """Sell one ticket at a terminal and do not play it."""
    (ident,) = sold(emission, 1, point)
    return PlayTicket.objects.get(uuid=ident)


def winning(point: factories.Point, emission: Emission) -> PlayTicket:
    """Sell tickets of a pre-drawn emission at a terminal until one wins; return that one."""
    while True:
        ticket = buy(point, emission)
        if dealing(emission.pk).tier(ticket.opening, ticket.position):
            return ticket


def played(point: factories.Point, tickets: Sequence[uuid.UUID], act: str = "reveal") -> None:
    """Play the first act of each ticket."""
    for ident in tickets:
        play_act(credentials=point.credentials, ident=ident, number=1, act=act)


def sold_and_played(emission: Emission, tickets: int) -> None:
    """Sell, play and award `count` tickets of a pre-drawn emission."""
    point = factories.point()
    played(point, sold(emission, tickets, point))


def finished(point: factories.Point, tickets: Sequence[uuid.UUID]) -> None:
    """Play each ticket to its end by legal acts, and keep what it shows."""
    for ident in tickets:
        play = play_state(credentials=point.credentials, ident=ident)
        while play.legal:
            act = next((a for a in play.legal if a in ("stop", "keep")), play.legal[0])
            play = play_act(
                credentials=point.credentials, ident=ident, number=len(play.steps) + 1, act=act
            )

"""Keep in each process the facts of an emission that never change, so that a play need not query
them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from core.database.kept import kept
from core.kernel.canonical import Json
from core.kernel.errors import NotFound
from core.kernel.money import percent_text
from promotrot.engine.game import Game, PredrawnGame, Texts
from promotrot.models.emission import Emission
from promotrot.selectors.games import emission_game

REVEAL: Final = "reveal"
"""The one act of a pre-drawn play: it uncovers what was there all the time [P12]."""

_KEPT: Final = 512


class EmissionUnknown(NotFound):
    code = "emission_unknown"
    message = "There is no such emission."


@dataclass(frozen=True, slots=True)
class TierFacts:
    """A prize: its value, the key of a thing's text ("" for cash), and whether it is extra [P2]."""

    number: int
    value_cents: int
    thing: str
    extra: bool


@dataclass(frozen=True, slots=True)
class EmissionFacts:
    """The facts of an emission for its plays and vouchers. `dealt`: prizes lie on its tickets."""

    pk: int
    reference: str
    number: int
    game: Game
    price_cents: int
    prize_percent: str
    dealt: bool
    tiers: Mapping[int, TierFacts]
    screen: Json

    def texts(self, language: str) -> Texts:
        """Return the game's texts in a language, or in Catalan if the language has none."""
        return self.game.texts.get(language) or self.game.texts["ca"]


@kept(most=_KEPT)
def emission_facts(pk: int) -> EmissionFacts:
    """Return the facts of an emission. Raises EmissionUnknown."""
    emission = Emission.objects.select_related("approval").filter(pk=pk).first()
    if emission is None:
        raise EmissionUnknown(emission=pk)
    game = emission_game(emission)
    tiers = {
        tier.number: TierFacts(tier.number, tier.value_cents, tier.thing, tier.extra)
        for tier in emission.tiers.all()
    }
    return EmissionFacts(
        pk=pk,
        reference=emission.reference,
        number=emission.number,
        game=game,
        price_cents=emission.price_cents,
        prize_percent=percent_text(game.kind.prize_percent),
        dealt=emission.dealt,
        tiers=tiers,
        screen=_screen(game, tiers),
    )


def _screen(game: Game, tiers: Mapping[int, TierFacts]) -> Json:
    """Return everything that a screen needs to draw a play, except the play itself."""
    presentation: Json = None
    mechanic: Json = None
    if isinstance(game, PredrawnGame):
        mode, presentation = "predrawn", game.presentation.document()
    else:
        mode, mechanic = "probabilistic", game.kind.mechanic.document()
    return {
        "mode": mode,
        "presentation": presentation,
        "mechanic": mechanic,
        "tiers": [
            {"tier": t.number, "value_cents": t.value_cents, "thing": t.thing, "extra": t.extra}
            for t in tiers.values()
        ],
    }

"""Find the outcome of a play, from its ticket or from the player's acts, and the vouchers due for
it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.kernel.canonical import Json
from promotrot.engine.game import PredrawnGame
from promotrot.engine.plays import replay, standing
from promotrot.engine.reveal import picture_document, reveal
from promotrot.models.play import PlayEnd
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import EmissionFacts, TierFacts
from promotrot.services.dealing import dealing


@dataclass(frozen=True, slots=True)
class Draft:
    """A voucher to be issued: all cash prizes together, or one prize in kind [P8]."""

    nature: str
    amount_cents: int
    prizes: tuple[TierFacts, ...]
    thing: str = ""

    def prize_documents(self) -> list[dict[str, Any]]:
        return [
            {"tier": prize.number, "cents": prize.value_cents, "extra": prize.extra}
            for prize in self.prizes
        ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a play: its tiers (0: none), its picture, and the vouchers due for it."""

    cause: str
    tier: int
    extra_tier: int
    awarded_cents: int
    extra_cents: int
    picture: Json
    drafts: tuple[Draft, ...]

    def document(self) -> dict[str, Json]:
        """Return the outcome in the form that `promotrot_end` takes."""
        return {
            "cause": self.cause,
            "tier": self.tier,
            "extra_tier": self.extra_tier,
            "awarded_cents": self.awarded_cents,
            "extra_cents": self.extra_cents,
            "picture": self.picture,
        }


def predrawn_outcome(
    facts: EmissionFacts, opening: int, position: int, cause: str, *, is_shown: bool = True
) -> Outcome:
    """Return what lay on a pre-drawn ticket before its sale, and a picture of it if it `is_shown`
    [P12].
    """
    game = facts.game
    if not isinstance(game, PredrawnGame):
        raise TypeError("the game is not a pre-drawn one")
    dealt = dealing(facts.pk)
    tier = dealt.tier(opening, position)
    if not is_shown:
        return _outcome(facts, cause, tier, 0, None)
    picture = reveal(game.presentation, game.kind.shown_as(tier), dealt.picture(opening, position))
    return _outcome(facts, cause, tier, 0, picture_document(picture))


def played_outcome(
    facts: EmissionFacts,
    opening: int,
    position: int,
    award: int,
    cause: str = PlayEnd.Cause.PLAYED,
) -> Outcome:
    """Return what a probabilistic play won, with any extra prize of its ticket [P2, P3]."""
    extra_tier = dealing(facts.pk).tier(opening, position) if facts.dealt else 0
    return _outcome(facts, cause, award, extra_tier, None)


def stopped_outcome(
    facts: EmissionFacts, opening: int, position: int, acts: Sequence[tuple[str, int]]
) -> Outcome:
    """Return the outcome of a play that is ended for its buyer after those acts [P11, P19].

    `acts` are pairs of an act and its random integer. A pre-drawn play gets what lay on its ticket.
    A probabilistic one gets the prize with which its player may stop, or its price back if no
    prize stands.
    """
    if isinstance(facts.game, PredrawnGame):
        return predrawn_outcome(facts, opening, position, PlayEnd.Cause.UNFINISHED)
    mechanic = facts.game.kind.mechanic
    tier = standing(mechanic, replay(mechanic, acts)) if acts else None
    if tier is None:
        return refund_outcome(facts)
    return played_outcome(facts, opening, position, tier, PlayEnd.Cause.STOPPED)


def refund_outcome(facts: EmissionFacts) -> Outcome:
    """Return the outcome of a probabilistic play in which no prize stands: its price is due back
    [P11, P19].
    """
    draft = Draft(Voucher.Nature.REFUND, facts.price_cents, ())
    return Outcome(PlayEnd.Cause.REFUND, 0, 0, 0, 0, None, (draft,))


def _outcome(
    facts: EmissionFacts, cause: str, tier: int, extra_tier: int, picture: Json
) -> Outcome:
    won = [facts.tiers[number] for number in (tier, extra_tier) if number]
    cash = tuple(prize for prize in won if not prize.thing)
    drafts = [
        Draft(Voucher.Nature.IN_KIND, prize.value_cents, (prize,), prize.thing)
        for prize in won
        if prize.thing
    ]
    if cash:
        drafts.insert(0, Draft(Voucher.Nature.CASH, sum(p.value_cents for p in cash), cash))
    extra = sum(prize.value_cents for prize in won if prize.extra)
    awarded = sum(prize.value_cents for prize in won) - extra
    return Outcome(cause, tier, extra_tier, awarded, extra, picture, tuple(drafts))

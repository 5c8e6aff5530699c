"""End a game for good: what it owes to prizes goes to tickets drawn in public [P2].

Where the price of every ticket is due back there is nobody to draw: what the game owes then stands
for the authority's decision at once [P17]. Ending a game never returns money to the organiser
(`drawing`).
"""

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict, Invalid
from core.ledger import services as ledger
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from promotrot import accounts, powers
from promotrot.models.emission import Emission
from promotrot.models.game import Game, GameEnding
from promotrot.selectors.left import count_left
from promotrot.selectors.owed import owed_cents
from promotrot.services.closing import emission_abandon
from promotrot.services.debts.drawing import (
    debt_draw_first,
    debt_entries,
    debt_entries_lasting,
    debt_stand,
)
from promotrot.services.games import game_get, need_not_ended


class GameOnSale(Conflict):
    code = "game_on_sale"
    message = "An emission of the game is not closed yet."


class WinnersRefused(Invalid):
    code = "winners_refused"
    message = (
        "What is owed is shared by at least one ticket, by no more than can get a cent each, and by"
        " no more than can be drawn."
    )


class OwedDiffers(Conflict):
    """The game's debt changed after the proposal. `data["owed_cents"]` is what it owes now."""

    code = "owed_differs"
    message = "The game owes another sum than when its end was proposed: propose it again."


def game_end_propose(*, by: StaffActor, game: Game, winners: int = 0) -> Proposal:
    """Propose to end a game. A second person confirms, which announces the draw. An emission that
    waits is then never put on sale (`promotrot.abandoned`), and its seed is published.

    `winners` tickets share the debt; 0 if there is no debt, or no ticket to draw. Raises GameEnded,
    GameOnSale, WinnersRefused.
    """
    by.need(powers.END_GAME)
    _need_endable(game, winners)
    return two_persons.propose(
        kind=ENDING,
        subject=f"promotrot:{game.code}",
        by=by,
        content={"game": game.code, "owed_cents": owed_cents(game), "winners": winners},
    )


def _need_endable(game: Game, winners: int) -> None:
    need_not_ended(game)
    if game.emissions.filter(state__in=Emission.ON_SALE).exists():
        raise GameOnSale(game=game.code)
    owed = owed_cents(game)
    left = count_left(game)
    most = min(owed, debt_entries_lasting(game).count() + left)
    is_drawn = owed > 0 and (left > 0 or debt_entries(game).exists())
    if not (1 <= winners <= most if is_drawn else winners == 0):
        raise WinnersRefused(owed_cents=owed, most=most)


def _end(proposal: Proposal, by: StaffActor) -> None:
    game, winners = game_get(proposal.content["game"]), proposal.content["winners"]
    hold((Lock.GAME, game.pk))
    _need_endable(game, winners)
    owed = owed_cents(game)
    if owed != proposal.content["owed_cents"]:
        raise OwedDiffers(owed_cents=owed)
    ledger.need_balance(accounts.prizes(game.code), owed)
    ending = GameEnding.objects.create(
        game=game, proposal=proposal, owed_cents=owed, winners=winners, ended_at=clock.now()
    )
    if winners:
        debt_draw_first(by, ending)
    elif owed:
        debt_stand(game=game)
    emission_abandon(ending)


ENDING = two_persons.Kind("promotrot.ending", powers.END_GAME, _end, good_for=two_persons.A_WEEK)

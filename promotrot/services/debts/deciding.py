"""Carry out what the authority decides on a debt that no draw could give away [P17]."""

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.kernel.errors import Conflict
from core.ledger import services as ledger
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from promotrot import accounts, postings, powers
from promotrot.models.debt import DebtDecision
from promotrot.models.game import Game
from promotrot.services.games import game_get


class DebtDiffers(Conflict):
    """The amount is not payable. `data["cents"]` is the sum that waits for the authority's
    decision.
    """

    code = "debt_differs"
    message = "The amount must be above zero, and no more than waits for the authority's decision."


def debt_decide_propose(
    *, by: StaffActor, game: Game, cents: int, reference: str, payee: str
) -> Proposal:
    """Propose to pay what the authority decided, from the treasury. A second person confirms.

    `reference` names the decision, `payee` who receives the money by it. Raises DebtDiffers.
    """
    by.need(powers.END_GAME)
    _need_standing(game, cents)
    return two_persons.propose(
        kind=DECISION,
        subject=f"promotrot:debt:{game.code}",
        by=by,
        content={"game": game.code, "cents": cents, "reference": reference, "payee": payee},
    )


def _need_standing(game: Game, cents: int) -> None:
    standing_cents = ledger.balance_cents(accounts.for_authority(game.code))
    if not 0 < cents <= standing_cents:
        raise DebtDiffers(cents=standing_cents)


def _decide(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    game = game_get(content["game"])
    hold((Lock.GAME, game.pk))
    _need_standing(game, content["cents"])
    now = clock.now()
    decision = DebtDecision.objects.create(
        uuid=row_uuid(now),
        game=game,
        proposal=proposal,
        reference=content["reference"],
        payee=content["payee"],
        cents=content["cents"],
        decided_at=now,
    )
    line = postings.debt_decided(game_code=game.code, cents=decision.cents)
    ledger.post(reference=decision.uuid, lines=[line])


DECISION = two_persons.Kind(
    "promotrot.debt_decision", powers.END_GAME, _decide, good_for=two_persons.A_WEEK
)

"""Carry out the authority's decision on a debt that no draw gave away [P17]."""

import uuid

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.ledger.services import balance_cents
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from promotrot import accounts
from promotrot.models.debt import DebtDecision
from promotrot.models.game import Game
from promotrot.services.debts.deciding import DebtDiffers, debt_decide_propose
from promotrot.services.debts.drawing import debt_draw_again
from tests.support import factories
from tests.support.promotrot import owing

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.2")]


def proposed(game: Game, cents: int) -> Proposal:
    return debt_decide_propose(
        by=factories.staff(Role.ORGANISER), game=game, cents=cents, reference="R 1", payee="P"
    )


def test_two_persons_pay_what_the_authority_decided_and_no_more() -> None:
    game = owing.ended(280)
    for number in (1, 2, 3):
        with pytest.raises(DebtDiffers):
            proposed(game, 1)
        owing.drawn(game)
        owing.nobody_comes()
        if number < 3:
            debt_draw_again(by=factories.staff(Role.ORGANISER), game=game)
    with pytest.raises(DebtDiffers):
        proposed(game, 281)
    proposal = proposed(game, 200)
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    assert DebtDecision.objects.get().cents == 200
    assert balance_cents(accounts.for_authority("small")) == 80
    with pytest.raises(DebtDiffers):
        proposed(game, 81)
    with pytest.raises(two_persons.ProposalDecided):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    _to_another_is_refused(game)


def _to_another_is_refused(game: Game) -> None:
    """The database asked who had decided, and not what: a program could pay anybody."""
    right = {"game": game.code, "cents": 80, "reference": "R 2", "payee": "P"}
    for wrong in ({"game": "other"}, {"cents": 79}, {"reference": "R 3"}, {"payee": "Mine"}):
        confirmed = factories.proposal("promotrot.debt_decision", content=right | wrong)
        with pytest.raises(IntegrityError, match="confirmed another"), transaction.atomic():
            DebtDecision.objects.create(
                uuid=uuid.uuid4(),
                game=game,
                proposal=confirmed,
                reference="R 2",
                payee="P",
                cents=80,
                decided_at=clock.now(),
            )

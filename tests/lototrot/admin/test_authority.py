"""Amend the figures and end a bet type in the admin, by two persons [A19, A21]."""

import json
from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot import accounts
from lototrot.models.authority import FiguresAmendment, GameEnd
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, row_url, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def organiser() -> Desk:
    return Desk(Role.ORGANISER)


def confirmed() -> str:
    """Have a second organiser confirm the proposal. Return the page on which they did."""
    second, proposal = Desk(Role.ORGANISER), Proposal.objects.get(decision=None)
    page = second.get(row_url(proposal))
    second.do(proposal, "confirm")
    return page


def test_the_figures_are_amended(organiser: Desk) -> None:
    document = factories.bet_type().document
    names = ("legs", "jackpot_threshold_cents", "shares_below", "shares_above")
    figures = {name: document[name] for name in names} | {"jackpot_threshold_cents": 30_000_000}
    day = natural_day(clock.now()) + timedelta(days=2)
    typed = {"in_force_from": day.isoformat(), "source": "BOIB 1"}
    for wrong in ("{", "[]"):
        page = organiser.ask(FiguresAmendment, "amend", **typed, figures=wrong)
        assert "not" in text_of(page)
    organiser.do(FiguresAmendment, "amend", **typed, figures=json.dumps(figures))
    assert "BOIB 1" in confirmed()
    amendment = FiguresAmendment.objects.get()
    assert "BOIB 1" in organiser.get(row_url(amendment))
    past = typed | {"in_force_from": "2020-01-01"}
    organiser.refused(
        FiguresAmendment, "amend", "amendment_not_ahead", **past, figures=json.dumps(figures)
    )


def test_a_bet_type_is_ended(organiser: Desk) -> None:
    rounds.fund(accounts.jackpot(factories.bet_type().code), 1250)
    factories.bet_type("five-races")
    typed = {"bet_type": "lototrot", "decision": "Resolució 3", "jackpot_bet_type": "five-races"}
    organiser.refused(GameEnd, "end", "end_not_whole", **typed, jackpot_cents="12,00")
    organiser.do(GameEnd, "end", **typed, jackpot_cents="12,50")
    assert "Resolució 3" in confirmed()
    assert "five-races" in organiser.get(row_url(GameEnd.objects.get()))


@pytest.mark.parametrize("role", sorted(set(Role) - {Role.ORGANISER}))
def test_they_are_the_organisers(role: Role) -> None:
    desk = Desk(role)
    assert desk.ask(FiguresAmendment, "amend").status_code == 403
    assert desk.ask(GameEnd, "end").status_code == 403

"""Amend the figures and end a bet type in the admin, by two persons [A19, A21]."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot import accounts
from lototrot.models.authority import FiguresAmendment, GameEnd
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, act_url, row_url, text_of

pytestmark = pytest.mark.django_db


def confirmed() -> str:
    """Confirm the proposal as a second organiser. Return the page of the confirmation."""
    second, proposal = Desk(Role.ORGANISER), Proposal.objects.get(decision=None)
    page = second.get(row_url(proposal))
    second.do(proposal, "confirm")
    return page


SHARES = {
    **{f"below_{wrong}": share for wrong, share in enumerate(("30", "20", "20"))},
    **{f"above_{wrong}": share for wrong, share in enumerate(("20", "20", "30"))},
}


def test_the_figures_are_amended(organiser: Desk) -> None:
    day = natural_day(clock.now()) + timedelta(days=2)
    shares = SHARES | {"below_0": "35", "jackpot_threshold_cents": "300000", "legs": "7"}
    typed = {"in_force_from": day.isoformat(), "source": "BOIB 1", **shares}
    assert 'value="150000.00"' in organiser.get(act_url(FiguresAmendment, "amend")), "as in force"
    page = text_of(organiser.ask(FiguresAmendment, "amend", **typed | {"below_1": "46"}))
    assert "The shares sum to 101 %: 100 % at most." in page
    page = text_of(organiser.ask(FiguresAmendment, "amend", **typed | {"below_1": ""}))
    assert "Categories have no gap: fill this one in too." in page
    live = organiser.client.post(act_url(FiguresAmendment, "amend"), {**typed, "live": "1"})
    assert '<td class="house-number">21 %</td>' in live.content.decode(), "35 % of 60 %"
    assert not Proposal.objects.exists()
    organiser.do(FiguresAmendment, "amend", **typed)
    page = confirmed()
    assert "BOIB 1" in page
    assert "in force now: 30 %" in page
    assert "in force now: €150,000.00" in page
    amendment = FiguresAmendment.objects.get()
    assert amendment.bet_type["shares_below"] == {"7": "35", "6": "20", "5": "20", "reserve": "25"}
    assert "BOIB 1" in organiser.get(row_url(amendment))
    past = typed | {"in_force_from": "2020-01-01"}
    organiser.refused(FiguresAmendment, "amend", "amendment_not_ahead", **past)


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

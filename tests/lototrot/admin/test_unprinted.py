"""Decide about tickets without a confirmed print in the admin, by two persons [E11]."""

import pytest

from core.database import clock
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.tickets import Unprinted, Void
from tests.support import factories
from tests.support.admin_desk import Desk, confirm_pending

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.II.1")]


@pytest.fixture
def rows() -> list[Unprinted]:
    """Return the two listed tickets of a closed and sealed contest."""
    contest, point = factories.contest(), factories.point()
    sales = [factories.sell(contest, point) for _ in range(2)]
    factories.contest_closed(contest)
    return [
        Unprinted.objects.create(ticket_id=sale.ticket_id, contest=contest, listed_at=clock.now())
        for sale in sales
    ]


def test_one_ticket_is_left_to_stand_and_the_rest_voided(rows: list[Unprinted]) -> None:
    organiser, contest = Desk(Role.ORGANISER), Contest.objects.get()
    organiser.do(rows[0], "decide", verdict="stand", reason="The shop has shown the paper")
    waiting = Proposal.objects.get(kind="lototrot.unprinted")
    organiser.refused(waiting, "confirm", "same_person")
    confirm_pending("lototrot.unprinted", Role.ORGANISER)
    assert Unprinted.objects.get(pk=rows[0].pk).verdict == "stand"
    organiser.do(contest, "unprinted", verdict="void", reason="Out of paper")
    confirm_pending("lototrot.unprinted", Role.ORGANISER)
    assert [void.ticket_id for void in Void.objects.all()] == [rows[1].ticket_id]
    assert not organiser.offers(contest, "unprinted")
    assert not organiser.offers(Unprinted.objects.get(pk=rows[1].pk), "decide")


def test_stewards_decide_nothing(rows: list[Unprinted]) -> None:
    assert not Desk(Role.STEWARDS).offers(rows[0], "decide")

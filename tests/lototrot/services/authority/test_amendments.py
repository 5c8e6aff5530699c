"""Amend the figures of the regulation's bet type from a later day on [A19]."""

from datetime import timedelta
from typing import Any

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.kernel.regulation import RegulationRefused, shipped
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.engine.bet_type import BetTypeRefused
from lototrot.models.authority import FiguresAmendment
from lototrot.selectors.amendments import bet_type_figures
from lototrot.services.authority.amendments import (
    AmendmentNotAhead,
    AmendmentOverContests,
    amendment_propose,
)
from lototrot.services.reasons import SourceMissing
from tests.support import factories, rounds

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.7", "14.III.9.2", "14.III.9.3")]
SHARES = {"6": "50", "5": "30", "4": "20", "reserve": "0"}
FIGURES: dict[str, Any] = {
    "legs": 6,
    "jackpot_threshold_cents": 1,
    "shares_below": SHARES,
    "shares_above": SHARES | {"6": "40", "reserve": "10"},
}


@pytest.fixture
def by() -> StaffActor:
    factories.time_to(rounds.NOON)
    return factories.staff(Role.ORGANISER)


def amended(by: StaffActor, days: int = 1, **changes: Any) -> FiguresAmendment:
    """Return an amendment of two persons, in force in so many days."""
    day = natural_day(clock.now()) + timedelta(days=days)
    proposal = amendment_propose(
        by=by, in_force_from=day, source="BOIB 1", figures=FIGURES | changes
    )
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    return FiguresAmendment.objects.get(proposal=proposal)


def test_it_replaces_categories_and_shares_from_its_day_on(by: StaffActor) -> None:
    before = shipped().in_force(natural_day(rounds.NOON)).lototrot.bet_type
    day = amended(by, days=3).in_force_from
    assert bet_type_figures(day - timedelta(days=1)) == before
    figures = bet_type_figures(day)
    assert (figures.legs, figures.jackpot_threshold_cents) == (6, 1)
    assert {name: str(share) for name, share in figures.shares_below.items()} == SHARES


def test_a_later_amendment_follows_an_earlier_one(by: StaffActor) -> None:
    first, second = amended(by, days=3), amended(by, days=5, jackpot_threshold_cents=2)
    assert bet_type_figures(first.in_force_from).jackpot_threshold_cents == 1
    assert bet_type_figures(second.in_force_from).jackpot_threshold_cents == 2
    with pytest.raises(RegulationRefused):
        amended(by, days=4)


def test_what_cannot_be_amended_writes_nothing(by: StaffActor) -> None:
    with pytest.raises(AmendmentNotAhead):
        amended(by, days=0)
    with pytest.raises(SourceMissing):
        amendment_propose(
            by=by, in_force_from=natural_day(rounds.NOON), source=" ", figures=FIGURES
        )
    with pytest.raises(BetTypeRefused):
        amended(by, shares_below=SHARES | {"4": "10"})
    assert not FiguresAmendment.objects.exists()


def test_a_contest_put_on_sale_between_the_two_persons_keeps_its_figures(by: StaffActor) -> None:
    day = natural_day(clock.now()) + timedelta(days=1)
    proposal = amendment_propose(by=by, in_force_from=day, source="BOIB 1", figures=FIGURES)
    contest = factories.contest(factories.meeting(day=day))
    with pytest.raises(AmendmentOverContests) as refusal:
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))
    assert refusal.value.data["contest"] == contest.pk

"""Find contests and their rules, and record which terminals display them."""

import pytest

from core.premises.models import Premises
from lototrot.services.contest.contests import (
    AuthorisationMissing,
    ContestUnknown,
    contest_get,
    display_acknowledge,
    figures_of,
    need_authorisation,
    rules_of,
)
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_a_contest_is_found_by_its_id_or_refused() -> None:
    contest = factories.contest()
    assert contest_get(contest.pk) == contest
    with pytest.raises(ContestUnknown):
        contest_get(2**31)


@pytest.mark.article("14.III.6.1")
def test_the_rules_of_a_contest_give_at_least_what_the_regulation_asks_on_its_day() -> None:
    contest = factories.contest()
    least = figures_of(contest.day).lototrot.minimum_prize_percent
    assert rules_of(contest.bet_type, contest.day).prize_percent >= least


@pytest.mark.parametrize("reference", ["", "  "])
def test_an_authorisation_has_a_reference(reference: str) -> None:
    with pytest.raises(AuthorisationMissing):
        need_authorisation(reference)
    need_authorisation("CAIB 1/2006")


@pytest.mark.article("14.III.5.2")
def test_only_those_that_sell_acknowledge_a_display_and_once() -> None:
    contest = factories.contest()
    place = factories.point()
    first = display_acknowledge(by=place.actor, contest=contest)
    assert display_acknowledge(by=place.actor, contest=contest) == first
    office = factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE))
    with pytest.raises(Exception, match="do not do this"):
        display_acknowledge(by=office.actor, contest=contest)

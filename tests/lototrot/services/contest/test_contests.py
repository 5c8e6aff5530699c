"""Record what the authority has authorised, and which terminals display a contest."""

import pytest

from core.premises.models import Premises
from lototrot.services.contest.contests import display_acknowledge
from tests.support import factories

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.5.2")
def test_only_those_that_sell_acknowledge_a_display_and_once() -> None:
    contest = factories.contest()
    place = factories.point()
    first = display_acknowledge(by=place.actor, contest=contest)
    assert display_acknowledge(by=place.actor, contest=contest) == first
    office = factories.point(factories.premises(Premises.Kind.CENTRAL_OFFICE))
    with pytest.raises(Exception, match="do not do this"):
        display_acknowledge(by=office.actor, contest=contest)

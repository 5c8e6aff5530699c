"""Value the things of an emission until it opens [P21]."""

from datetime import date, timedelta

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from promotrot.engine.rules import Valued, too_old, valuation_last_day
from promotrot.models.emission import Emission
from promotrot.models.valuation import Valuation
from promotrot.selectors.things import valuations_of
from promotrot.services.valuing import (
    ThingUnknown,
    ValuationDayWrong,
    ValuationLate,
    valuation_record,
)
from tests.support import emitting, factories

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.5")]


@pytest.fixture
def planned() -> Emission:
    return emitting.planned(emitting.approved(emitting.document("six-at-the-post")))


def record(
    emission: Emission, *, tier: int = 1, days: int = 0, role: Role = Role.ORGANISER
) -> date:
    day = natural_day(clock.now()) + timedelta(days=days)
    by = factories.staff(role)
    valuation_record(by=by, emission=emission, tier=tier, source="Shops", valued_on=day)
    return day


def test_a_newer_valuation_takes_the_place_of_the_definitions(planned: Emission) -> None:
    (first,) = valuations_of(planned)
    assert (first.thing, first.valued_on) == ("bicycle", date(2026, 10, 15))
    day = record(planned, tier=first.tier)
    assert valuations_of(planned) == [Valued(first.tier, "bicycle", day)]
    for days in (0, 1, -1):
        with pytest.raises(ValuationDayWrong):
            record(planned, tier=first.tier, days=days)
    with pytest.raises(ThingUnknown):
        record(planned, tier=99)
    with pytest.raises(PowerMissing):
        record(planned, role=Role.CASHIER)
    assert Valuation.objects.count() == 2


def test_what_is_on_sale_is_not_valued_again() -> None:
    emission = emitting.opened(emitting.document("six-at-the-post"))
    with pytest.raises(ValuationLate):
        record(emission, tier=valuations_of(emission)[0].tier)


@pytest.mark.parametrize(
    ("valued_on", "last"),
    [
        (date(2027, 3, 10), date(2028, 3, 10)),
        (date(2028, 2, 29), date(2029, 2, 28)),
        (date(2027, 12, 31), date(2028, 12, 31)),
    ],
)
def test_a_valuation_holds_for_twelve_months(valued_on: date, last: date) -> None:
    assert valuation_last_day(valued_on) == last
    valued = [Valued(1, "bicycle", valued_on)]
    assert too_old(valued, last) == [] and too_old(valued, last + timedelta(days=1)) == valued
    assert too_old([Valued(1, "bicycle", None)], last)

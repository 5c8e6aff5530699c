"""Sell a ticket once, refuse wrong requests, and burn the UUID that was asked about."""

import pytest

from core.premises.access import REFUSALS, TerminalCannot
from core.premises.models import Premises
from core.premises.requests import CreditExhausted, UuidBurnt, UuidReused, new_uuid
from promotrot.models.emission import Emission, Lane
from promotrot.models.play import PlayTicket
from promotrot.services import selling
from promotrot.services.selling import PlayRequest, play_sell
from tests.support import emitting, factories
from tests.support.factories import Point
from tests.support.promotrot.playing import bought

pytestmark = pytest.mark.django_db


def test_a_replayed_sale_takes_no_second_ticket(place: Point, emission: Emission) -> None:
    ident = bought(place, emission)
    request = PlayRequest(ident, emission.pk, emission.price_cents)
    assert play_sell(credentials=place.credentials, request=request).replayed
    assert PlayTicket.objects.count() == 1
    assert sum(Lane.objects.values_list("taken", flat=True)) == 1
    other = emitting.opened(emitting.small("other"))
    for of, price_cents in ((other, other.price_cents), (emission, 1)):
        foreign = PlayRequest(ident, of.pk, price_cents)
        with pytest.raises(UuidReused):
            play_sell(credentials=place.credentials, request=foreign)
    with pytest.raises(UuidReused):
        bought(factories.point(), emission, ident)


@pytest.mark.article("15.III.4")
def test_refused_sales_take_no_ticket(place: Point, emission: Emission) -> None:
    with pytest.raises(selling.WrongPrice):
        play_sell(credentials=place.credentials, request=PlayRequest(new_uuid(), emission.pk, 1))
    office = factories.point(factories.premises(kind=Premises.Kind.CENTRAL_OFFICE))
    with pytest.raises(TerminalCannot):
        bought(office, emission)
    without = factories.point(factories.premises(limit_cents=emission.price_cents - 1))
    with pytest.raises(CreditExhausted):
        bought(without, emission)
    unauthorised = factories.point(factories.premises(authorised=("lototrot",)))
    with pytest.raises(REFUSALS["premises_not_authorised"]):
        bought(unauthorised, emission)
    drafted = emitting.planned(emitting.approved(emitting.small("draft")))
    with pytest.raises(selling.EmissionNotOpen):
        bought(place, drafted)
    closed = emitting.closed(emitting.opened(emitting.small("closed")))
    with pytest.raises(selling.EmissionClosed):
        bought(place, closed)
    assert not PlayTicket.objects.exists()


def test_a_burnt_uuid_is_never_sold(place: Point, emission: Emission) -> None:
    ident = new_uuid()
    terminal = place.bare
    assert not selling.request_state(terminal=terminal, ident=ident)
    with pytest.raises(UuidBurnt):
        bought(place, emission, ident)
    sold = bought(place, emission)
    assert selling.request_state(terminal=terminal, ident=sold)
    with pytest.raises(UuidReused):
        selling.request_state(terminal=factories.point().bare, ident=sold)

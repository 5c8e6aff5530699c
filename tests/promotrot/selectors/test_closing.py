"""Find the emissions whose sale must stop because no top prize is left."""

import pytest

from promotrot.models.emission import Emission, SaleStop
from promotrot.selectors.closing import emissions_without_top
from promotrot.services.closing import emission_stop
from promotrot.services.dealing import dealing
from promotrot.services.selling import EmissionClosed
from tests.support import emitting

pytestmark = pytest.mark.django_db


def test_an_emission_set_to_stop_without_top_prizes_stops_and_another_goes_on() -> None:
    early = emitting.seed_where("stops/1", lambda tiers: 1 not in tiers[10:])
    with emitting.seeded(early):
        stops = emitting.opened(emitting.small("stops"), stop_without_top=True)
    early = emitting.seed_where("goes-on/1", lambda tiers: 1 not in tiers[10:])
    with emitting.seeded(early):
        goes_on = emitting.opened(emitting.small("goes-on"))
    for emission in (stops, goes_on):
        dealt = dealing(emission.pk)
        tops = [at for at in range(40) if dealt.tier(0, at) == 1]
        emitting.sold_and_played(emission, tops[-1])
        assert emission.pk not in emissions_without_top()
        assert not emission_stop(emission=emission)
        emitting.sold_and_played(emission, 1)
    assert emissions_without_top() == [stops.pk]
    assert emission_stop(emission=stops)
    assert not emission_stop(emission=stops)
    assert SaleStop.objects.get().emission == stops
    with pytest.raises(EmissionClosed):
        emitting.sold(stops, 1)
    emitting.sold(goes_on, 1)
    assert emitting.closed(stops).state == Emission.State.CLOSED

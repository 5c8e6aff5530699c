"""Check the alarms of Promotrot [P17, P19, P21]."""

import pytest

from core.premises.models import Terminal
from promotrot.alarms import ALARMS
from promotrot.services.closing import emissions_dealt_stop
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def rows() -> dict[str, int]:
    return {alarm.code: len(alarm.rows()) for alarm in ALARMS}


def test_each_alarm_is_there_until_somebody_acts() -> None:
    quiet = dict.fromkeys((alarm.code for alarm in ALARMS), 0)
    place, emission = factories.point(), emitting.opened(emitting.small())
    emitting.sold(emission, 1, place)
    assert rows() == quiet
    Terminal.objects.filter(pk=place.terminal.pk).update(revoked_at=place.session.started_at)
    assert rows() == quiet | {"promotrot_play_stranded": 1}
    emitting.closed(emission)
    assert rows() == quiet | {"promotrot_play_stranded": 1, "promotrot_debt": 1}
    emitting.opened(emitting.document("six-at-the-post"))
    assert rows()["promotrot_stock_short"] == 1


@pytest.mark.article("15.III.6.2")
def test_an_emission_that_sells_no_more_waits_for_its_closing() -> None:
    """Its debt to prizes and its seed could be kept back for ever by not closing it."""
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 39)
    assert rows()["promotrot_emission_unclosed"] == 0
    emitting.sold_and_played(emission, 1)
    assert rows()["promotrot_emission_unclosed"] == 1
    stopped = emitting.opened(emitting.small("stopped"))
    assert emissions_dealt_stop() == [emission.reference, stopped.reference]
    assert rows()["promotrot_emission_unclosed"] == 2
    for each in (emission, stopped):
        emitting.closed(each)
    assert rows()["promotrot_emission_unclosed"] == 0

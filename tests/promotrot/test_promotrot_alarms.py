"""Check the alarms of Promotrot [P17, P19, P21]."""

import pytest

from core.premises.models import Terminal
from promotrot.alarms import ALARMS
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def rows() -> dict[str, int]:
    return {alarm.code: len(alarm.rows()) for alarm in ALARMS}


def test_each_alarm_is_there_until_somebody_acts() -> None:
    quiet = {"promotrot_play_stranded": 0, "promotrot_debt": 0, "promotrot_stock_short": 0}
    place, emission = factories.point(), emitting.opened(emitting.small())
    emitting.sold(emission, 1, place)
    assert rows() == quiet
    Terminal.objects.filter(pk=place.terminal.pk).update(revoked_at=place.session.started_at)
    assert rows() == quiet | {"promotrot_play_stranded": 1}
    emitting.closed(emission)
    assert rows() == quiet | {"promotrot_play_stranded": 1, "promotrot_debt": 1}
    emitting.opened(emitting.document("six-at-the-post"))
    assert rows()["promotrot_stock_short"] == 1

"""Export Promotrot's emissions, plays and held vouchers to Prometheus."""

import pytest

from core.premises.requests import new_uuid
from promotrot import metrics
from promotrot.models.play import PlayTicket
from promotrot.services.dealing import dealing
from promotrot.services.selling import PlayRequest, play_sell
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def values() -> dict[str, float]:
    return {
        sample.name + "".join(sample.labels.values()): sample.value
        for metric in metrics.source()
        for sample in metric.samples
    }


def test_emissions_plays_and_what_waits() -> None:
    assert values()["promotrot_plays_unfinished"] == 0
    emission, place = emitting.opened(emitting.small()), factories.point()
    while True:
        request = PlayRequest(new_uuid(), emission.pk, emission.price_cents)
        play_sell(credentials=place.credentials, request=request)
        ticket = PlayTicket.objects.get(uuid=request.uuid)
        if dealing(emission.pk).tier(ticket.opening, ticket.position):
            break
    metric_values = values()
    assert metric_values["promotrot_emissionsopen"] == 1
    assert metric_values["promotrot_plays_unfinished"] == PlayTicket.objects.count()
    assert metric_values["promotrot_play_last_id"] == ticket.pk
    play_end_unfinished(ticket)
    assert values()["promotrot_vouchers_held"] == 1

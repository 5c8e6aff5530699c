"""Refuse in the database plays that the services would not write."""

import pytest
from django.db import IntegrityError, connection, transaction

from promotrot.models.emission import Emission
from promotrot.services.playing import play_act
from tests.support import emitting, factories
from tests.support.emitting import buy, winning
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]


@pytest.fixture(autouse=True)
def simulated(settings: object) -> None:
    settings.SIMULATED_TIME = True  # type: ignore[attr-defined]


@pytest.fixture
def place() -> Point:
    return factories.point()


@pytest.fixture
def emission() -> Emission:
    return emitting.opened(emitting.small())


@pytest.fixture
def ladder() -> Emission:
    return emitting.opened(emitting.document("trotters-ladder"))


def test_the_database_refuses_what_the_services_would_not_do(
    place: Point, emission: Emission, ladder: Emission
) -> None:
    ticket, begun = winning(place, emission), buy(place, ladder)
    play_act(credentials=place.credentials, ident=begun.uuid, number=1, act="trot")
    now = "clock_timestamp()"
    refused = {
        "a ticket no lane has given": f"INSERT INTO promotrot_playticket (uuid, emission_id,"
        f" opening, position, premises_id, terminal_id, operator_id, sold_at, price_cents) SELECT"
        f" gen_random_uuid(), emission_id, opening, position + 5, premises_id, terminal_id,"
        f" operator_id, {now}, price_cents FROM promotrot_playticket WHERE id = {ticket.pk}",
        "an act out of turn": f"INSERT INTO promotrot_playact (ticket_id, number, act, draw, shown,"
        f" terminal_id, at) VALUES ({ticket.pk}, 2, 'reveal', 0, 0, {place.terminal.pk}, {now})",
        "a refund of a begun play": f"INSERT INTO promotrot_playend (ticket_id, cause, tier,"
        f" extra_tier, awarded_cents, extra_cents, ended_at) VALUES ({begun.pk}, 'refund', 0, 0, 0,"
        f" 0, {now})",
        "an award without its voucher": f"INSERT INTO promotrot_playend (ticket_id, cause, tier,"
        f" extra_tier, awarded_cents, extra_cents, ended_at) VALUES ({ticket.pk}, 'played', 1, 0,"
        f" 100, 0, {now})",
    }
    for statement in refused.values():
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

"""Refuse in the database plays that the services would not write."""

import json
import uuid

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.kernel.days import natural_day
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.services.playing import play_act
from tests.support import emitting, factories
from tests.support.emitting import buy, winning
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]

# Not those of the module: constraints that a test makes immediate stay so for the transaction.


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


def _ended(ticket: PlayTicket, amount: int, nature: str, **ending: object) -> None:
    """End a play without an act by the database's function, as a program with its role could."""
    usual = {"cause": "unfinished", "tier": 0, "extra_tier": 0, "awarded_cents": 0}
    voucher = {"uuid": str(uuid.uuid4()), "number": 1, "nature": nature, "amount": amount}
    arguments = [
        ticket.pk,
        natural_day(clock.now()),
        json.dumps(usual | {"extra_cents": 0, "picture": None} | ending),
        json.dumps([voucher | {"prizes": [], "thing": "", "digest": None}]),
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT promotrot_end_held(%s, 0, %s, 30, %s, %s)", arguments)
        assert cursor.fetchone() == (True,)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


@pytest.mark.article("15.II.2")
def test_an_award_is_the_worth_of_its_tier(place: Point, emission: Emission) -> None:
    ticket = buy(place, emission)
    for tier, cents in ((2, 400), (1, 100), (0, 100), (3, 100)):
        with pytest.raises(IntegrityError, match="not what it was awarded"):
            _ended(ticket, cents, "cash", tier=tier, awarded_cents=cents)
    with pytest.raises(IntegrityError, match="not what it was awarded"):
        _ended(ticket, 100, "cash", tier=2, extra_cents=100)
    _ended(ticket, 100, "cash", tier=2, awarded_cents=100)


@pytest.mark.article("15.II.2")
def test_the_price_of_a_pre_drawn_play_is_never_given_back(
    place: Point, emission: Emission, ladder: Emission
) -> None:
    """[P11]: its result stands. Who could give losing tickets back would owe less to prizes."""
    with pytest.raises(IntegrityError, match="its result stands"):
        _ended(buy(place, emission), 100, "refund", cause="refund")
    _ended(buy(place, ladder), ladder.price_cents, "refund", cause="refund")

"""End plays after the closing, and sell a probabilistic emission out [P2, P3, P8, P9, P11]."""

import secrets
import uuid

import pytest

from core.ledger.books import differences
from core.ledger.services import balance_cents
from promotrot import accounts
from promotrot.models.emission import Emission
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services.dealing import dealing
from promotrot.services.playing import PlayView, play_act, play_sold
from promotrot.services.selling import EmissionSoldOut, PlayRequest, play_sell
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories
from tests.support.factories import Point

pytestmark = pytest.mark.django_db


TICKETS = 40


@pytest.fixture
def place() -> Point:
    return factories.point()


def buy(place: Point, emission: Emission) -> PlayView:
    request = PlayRequest(uuid.uuid4(), emission.pk, emission.price_cents)
    return play_sold(play_sell(credentials=place.credentials, request=request))


def climb(place: Point, play: PlayView, *, stop: bool = True) -> PlayView:
    """Take the first step, and stop on the rung if it went well."""
    play = play_act(credentials=place.credentials, ident=play.uuid, number=1, act="trot")
    if play.ending is None and stop:
        play = play_act(credentials=place.credentials, ident=play.uuid, number=2, act="stop")
    return play


def fate(monkeypatch: pytest.MonkeyPatch, *, up: bool) -> None:
    monkeypatch.setattr(secrets, "randbelow", lambda bound: 0 if up else bound - 1)


@pytest.mark.article("15.III.6.2", "15.III.3")
def test_plays_that_end_after_the_closing_are_borne_by_the_organiser(
    place: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = emitting.opened(
        emitting.document("trotters-ladder", code="short-ladder", tickets=TICKETS)
    )
    fate(monkeypatch, up=True)
    begun, untouched = climb(place, buy(place, ladder), stop=False), buy(place, ladder)
    drawn = emitting.opened(emitting.small())
    won = next(
        ticket
        for ticket in (buy_ticket(place, drawn) for _ in range(drawn.tickets))
        if dealing(drawn.pk).tier(ticket.opening, ticket.position)
    )
    for emission in (ladder, drawn):
        assert emitting.closed(emission).closing.document["unfinished"] >= 1
    ended = play_act(credentials=place.credentials, ident=begun.uuid, number=2, act="stop")
    assert ended.ending is not None and ended.ending.awarded_cents == 50
    assert play_end_unfinished(PlayTicket.objects.get(uuid=untouched.uuid)) == "refund"
    assert play_end_unfinished(won) == "unfinished"
    cents = PlayEnd.objects.get(ticket=won).awarded_cents
    assert balance_cents(accounts.late_awards()) == -(50 + ladder.price_cents + cents)
    assert balance_cents(accounts.refunds(ladder.reference)) == ladder.price_cents
    assert Voucher.objects.filter(code_digest=None).count() == 2
    assert differences()[1] == []


def buy_ticket(place: Point, emission: Emission) -> PlayTicket:
    return PlayTicket.objects.get(uuid=buy(place, emission).uuid)


@pytest.mark.article("15.II.3")
def test_a_probabilistic_emission_ends_with_its_number_of_tickets(place: Point) -> None:
    ladder = emitting.opened(emitting.document("trotters-ladder", code="shorter", tickets=3))
    for _ in range(3):
        buy(place, ladder)
    with pytest.raises(EmissionSoldOut):
        buy(place, ladder)

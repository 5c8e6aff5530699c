"""End plays after the closing, and sell a probabilistic emission out [P2, P3, P8, P9, P11]."""

import pytest

from core.ledger.books import differences
from core.ledger.services import balance_cents
from promotrot import accounts
from promotrot.models.emission import Emission
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services.dealing import dealing
from promotrot.services.playing import play_act
from promotrot.services.selling import EmissionSoldOut
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting
from tests.support.factories import Point
from tests.support.promotrot.playing import climbed, fate, play_begun

pytestmark = pytest.mark.django_db


TICKETS = 40


@pytest.mark.article("15.III.6.2", "15.III.3")
def test_plays_that_end_after_the_closing_are_borne_by_the_organiser(
    place: Point, monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = emitting.opened(
        emitting.document("trotters-ladder", code="short-ladder", tickets=TICKETS)
    )
    fate(monkeypatch, up=True)
    begun, untouched = (
        climbed(place, play_begun(place, ladder), stop=False),
        play_begun(place, ladder),
    )
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
    return PlayTicket.objects.get(uuid=play_begun(place, emission).uuid)


@pytest.mark.article("15.II.3")
def test_a_probabilistic_emission_ends_with_its_number_of_tickets(place: Point) -> None:
    ladder = emitting.opened(emitting.document("trotters-ladder", code="shorter", tickets=3))
    for _ in range(3):
        play_begun(place, ladder)
    with pytest.raises(EmissionSoldOut):
        play_begun(place, ladder)

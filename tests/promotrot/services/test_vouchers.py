"""Print vouchers and erase the secrets of their codes [P16]."""

import uuid

import pytest

from core.database import clock
from core.kernel.days import natural_day
from promotrot.engine.rules import paper_until
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import VoucherSecret
from promotrot.services import vouchers
from promotrot.services.dealing import dealing
from promotrot.services.facts import REVEAL
from promotrot.services.playing import play_act, play_state
from promotrot.services.selling import PlayRequest, play_sell
from tests.support import emitting, factories
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


def buy(place: Point, emission: Emission) -> PlayTicket:
    ident = uuid.uuid4()
    request = PlayRequest(ident, emission.pk, emission.price_cents)
    play_sell(credentials=place.credentials, request=request)
    return PlayTicket.objects.get(uuid=ident)


def winning(place: Point, emission: Emission) -> PlayTicket:
    while True:
        ticket = buy(place, emission)
        if dealing(emission.pk).tier(ticket.opening, ticket.position):
            return ticket


def next_noon() -> None:
    clock.move_to(paper_until(natural_day(clock.now())), reason="noon")


def test_from_noon_of_the_next_day_nobody_gets_a_code_again(
    place: Point, emission: Emission
) -> None:
    ticket = winning(place, emission)
    play = play_act(credentials=place.credentials, ident=ticket.uuid, number=1, act=REVEAL)
    ident = play.vouchers[0].uuid
    assert vouchers.voucher_original(by=place.bare, ident=ident)[1].code == play.vouchers[0].code
    with pytest.raises(vouchers.VoucherUnknown):
        vouchers.voucher_original(by=factories.point(place.premises).bare, ident=ident)
    vouchers.voucher_print_confirm(by=place.bare, ident=ident)
    assert play_state(credentials=place.credentials, ident=ticket.uuid).vouchers[0].code is None
    with pytest.raises(vouchers.VoucherPrinted):
        vouchers.voucher_original(by=place.bare, ident=ident)
    key = uuid.uuid4()
    _, copy, reprint = vouchers.voucher_reprint(by=place.actor, ident=ident, copy=key)
    assert copy.code == play.vouchers[0].code and reprint.number == 1
    assert vouchers.voucher_reprint(by=place.actor, ident=ident, copy=key)[2] == reprint
    next_noon()
    with pytest.raises(vouchers.VoucherCodeGone):
        vouchers.voucher_reprint(by=place.actor, ident=ident)
    assert vouchers.secrets_erase() == 1
    assert not VoucherSecret.objects.filter(secret__isnull=False).exists()

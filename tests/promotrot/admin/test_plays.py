"""Show plays and vouchers in the admin to those who may see them, and never a code."""

import pytest

from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.models.play import PlayMove, PlayTicket
from promotrot.models.voucher import Voucher, VoucherHandover, VoucherSecret
from promotrot.selectors.facts import REVEAL
from promotrot.services.office import handing
from promotrot.services.office.moving import play_move
from promotrot.services.playing import play_act
from promotrot.services.selling import PlayRequest, play_sell, request_state
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.factories import Point

pytestmark = pytest.mark.django_db


def buy(place: Point, emission: Emission) -> PlayTicket:
    ident = new_uuid()
    request = PlayRequest(ident, emission.pk, emission.price_cents)
    play_sell(credentials=place.credentials, request=request)
    return PlayTicket.objects.get(uuid=ident)


def test_every_page_of_plays_answers_and_shows_no_code() -> None:
    emission, place = emitting.opened(emitting.small()), factories.point()
    codes = []
    for _ in range(emission.tickets - 6):
        play = play_act(
            credentials=place.credentials, ident=buy(place, emission).uuid, number=1, act=REVEAL
        )
        codes += [issued.code.text for issued in play.vouchers if issued.code]
    left = [buy(place, emission) for _ in range(4)]
    for ticket in left[:3]:
        play_end_unfinished(ticket)
    cashier = paying.cashier()
    for held in handing.vouchers_held(by=cashier):
        voucher = paying.handed_over(cashier, held.uuid)
        codes.append(voucher.code.text if voucher.code else "")
    neighbour = factories.point(place.premises)
    play_move(
        by=factories.staff(Role.ORGANISER),
        ident=left[3].uuid,
        terminal_code=neighbour.terminal.code,
        reason="dark screen",
    )
    request_state(terminal=place.bare, ident=new_uuid())
    desk = Desk(Role.ORGANISER)
    for model in (PlayTicket, Voucher, PlayMove, VoucherHandover, VoucherSecret):
        page = desk.get(list_url(model))
        for row in model._default_manager.order_by("-pk")[:5]:
            page += desk.get(row_url(row))
        assert codes and not any(code in page.replace("-", "") for code in codes)
    assert neighbour.terminal.code in desk.get(row_url(left[3]))


def test_stewards_see_no_plays() -> None:
    emission, place = emitting.opened(emitting.small()), factories.point()
    ticket = buy(place, emission)
    desk = Desk(Role.STEWARDS)
    assert desk.client.get(row_url(ticket)).status_code == 403

"""Hold vouchers, hand them over, print them, and erase the secrets of their codes [P11]."""

import uuid
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel import codes
from core.payoffice import sources
from core.payoffice.refusals import CashSessionMissing
from core.premises.models import Premises
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher, VoucherSecret
from promotrot.services import vouchers
from promotrot.services.dealing import dealing
from promotrot.services.facts import REVEAL
from promotrot.services.playing import play_act, play_state
from promotrot.services.selling import PlayRequest, play_sell
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]


@pytest.fixture(autouse=True)
def simulated(settings: object) -> None:
    settings.SIMULATED_TIME = True  # type: ignore[attr-defined]


@pytest.fixture
def place() -> Point:
    return factories.point()


@pytest.fixture
def office() -> StaffActor:
    return paying.cashier()


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


def a_day_later() -> None:
    clock.move_to(clock.now() + timedelta(days=1, hours=2), reason="the night")


@pytest.mark.article("15.III.6.4")
def test_a_held_voucher_has_no_code_until_it_is_handed_over(
    place: Point, office: StaffActor, emission: Emission
) -> None:
    ticket = winning(place, emission)
    assert play_end_unfinished(ticket) == "unfinished"
    assert play_end_unfinished(ticket) is None
    held = vouchers.vouchers_held(by=office).get()
    assert held.code_digest is None and held.terminal_id is None
    seen = play_state(credentials=place.credentials, ident=ticket.uuid)
    assert [voucher.code for voucher in seen.vouchers] == [None] and seen.vouchers[0].held

    without_session = factories.staff(Role.CASHIER)
    elsewhere = paying.cashier(factories.premises(kind=Premises.Kind.ENTITY_OFFICE))
    for by, error in (
        (without_session, CashSessionMissing),
        (elsewhere, vouchers.NotCentralOffice),
        (factories.staff(Role.ORGANISER), PowerMissing),
    ):
        with pytest.raises(error):
            vouchers.voucher_hand_over(by=by, ident=held.uuid, claim="I was here")
    row, given = vouchers.voucher_hand_over(by=office, ident=held.uuid, claim="receipt")
    assert given.code is not None and not vouchers.vouchers_held(by=office).exists()
    again = vouchers.voucher_hand_over(by=office, ident=held.uuid, claim="once more")[1]
    assert again.code == given.code
    with pytest.raises(vouchers.VoucherNotHeld):
        vouchers.voucher_hand_over(by=paying.cashier(), ident=held.uuid, claim="me, too")
    assert vouchers.voucher_original(by=office, ident=held.uuid)[1].code == given.code
    digest = settings.CODE_KEYS.digest(given.code)
    payable = sources.of_kind(codes.VOUCHER).by_code(digest)
    assert payable is not None and payable.document_id == row.pk
    with pytest.raises(IntegrityError), transaction.atomic():
        Voucher.objects.filter(pk=row.pk).update(code_digest=b"x" * 16)


def test_once_the_day_is_over_nobody_gets_a_code_again(place: Point, emission: Emission) -> None:
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
    a_day_later()
    with pytest.raises(vouchers.VoucherCodeGone):
        vouchers.voucher_reprint(by=place.actor, ident=ident)
    assert vouchers.secrets_erase() == 1
    assert not VoucherSecret.objects.filter(secret__isnull=False).exists()

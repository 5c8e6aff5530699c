"""Hand vouchers that are held over at the Central Office [P11]."""

import uuid

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction

from core.kernel import codes
from core.payoffice import sources
from core.payoffice.refusals import CashSessionMissing
from core.premises.models import Premises
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services import vouchers
from promotrot.services.dealing import dealing
from promotrot.services.office import handing
from promotrot.services.playing import play_state
from promotrot.services.selling import PlayRequest, play_sell
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]


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


@pytest.mark.article("15.III.6.4")
def test_a_held_voucher_has_no_code_until_it_is_handed_over(
    place: Point, office: StaffActor, emission: Emission
) -> None:
    ticket = winning(place, emission)
    assert play_end_unfinished(ticket) == "unfinished"
    assert play_end_unfinished(ticket) is None
    held = handing.vouchers_held(by=office).get()
    assert held.code_digest is None and held.terminal_id is None
    seen = play_state(credentials=place.credentials, ident=ticket.uuid)
    assert [voucher.code for voucher in seen.vouchers] == [None] and seen.vouchers[0].held

    without_session = factories.staff(Role.CASHIER)
    elsewhere = paying.cashier(factories.premises(kind=Premises.Kind.ENTITY_OFFICE))
    for by, error in (
        (without_session, CashSessionMissing),
        (elsewhere, handing.NotCentralOffice),
        (factories.staff(Role.ORGANISER), PowerMissing),
    ):
        with pytest.raises(error):
            handing.voucher_hand_over(by=by, ident=held.uuid, claim="I was here")
    row, given = handing.voucher_hand_over(by=office, ident=held.uuid, claim="receipt")
    assert given.code is not None and not handing.vouchers_held(by=office).exists()
    again = handing.voucher_hand_over(by=office, ident=held.uuid, claim="once more")[1]
    assert again.code == given.code
    with pytest.raises(handing.VoucherNotHeld):
        handing.voucher_hand_over(by=paying.cashier(), ident=held.uuid, claim="me, too")
    assert vouchers.voucher_original(by=office, ident=held.uuid)[1].code == given.code
    digest = settings.CODE_KEYS.digest(given.code)
    payable = sources.of_kind(codes.VOUCHER).by_code(digest)
    assert payable is not None and payable.document_id == row.pk
    with pytest.raises(IntegrityError), transaction.atomic():
        Voucher.objects.filter(pk=row.pk).update(code_digest=b"x" * 16)

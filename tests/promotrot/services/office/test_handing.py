"""Hand vouchers that are held over at the Central Office [P11]."""

import dataclasses
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import IntegrityError, transaction
from django.test import override_settings

from core.kernel import codes
from core.kernel.days import day_bounds
from core.nights.nightly import lapse
from core.payoffice import sources
from core.payoffice.refusals import CashSessionMissing, ClaimLapsed, PayerHandedOver
from core.payoffice.services import desk, finding
from core.payoffice.services.checking import desk_state
from core.payoffice.services.desk import desk_pay
from core.payoffice.services.paying import Paid, PayRequest, pay, payer_at_desk
from core.premises.models import Premises
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from core.staff.two_persons import ProposalPending, SamePerson
from promotrot.models.emission import Emission
from promotrot.models.play import PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.services import vouchers
from promotrot.services.office import handing
from promotrot.services.office.receipt_codes import PLAY, ReceiptOfAnother, receipt_code
from promotrot.services.playing import play_state
from promotrot.services.unfinished import play_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.emitting import winning
from tests.support.factories import Point

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.3")]


@pytest.fixture
def office() -> StaffActor:
    return paying.cashier()


@pytest.mark.article("15.III.6.4")
def test_a_receipt_is_proved_by_more_than_the_published_reference(
    place: Point, office: StaffActor, emission: Emission
) -> None:
    """Whoever reads the list of tickets could print a receipt of one that won in a draw."""
    ticket, other = winning(place, emission), winning(place, emission)
    assert play_end_unfinished(ticket) == "unfinished"
    held = handing.vouchers_held(by=office).get()
    own, of_other = (
        receipt_code(play_state(credentials=place.credentials, ident=each.uuid))
        for each in (ticket, other)
    )
    own_secret = ticket.uuid, bytes(32), settings.CODE_KEYS
    for typed, error in (
        (str(ticket.uuid), codes.CodeMalformed),
        (own[:-1] + ("0" if own[-1] != "0" else "2"), codes.CodeMistyped),
        (codes.issue(codes.VOUCHER, *own_secret).grouped, codes.CodeForged),
        (codes.issue(PLAY, *own_secret).grouped, ReceiptOfAnother),
        (of_other, ReceiptOfAnother),
    ):
        with pytest.raises(error):
            handing.handover_propose(by=office, ident=held.uuid, claim="mine", receipt=typed)
    proposal = handing.handover_propose(by=office, ident=held.uuid, claim="mine", receipt=own)
    assert proposal.content["receipt"] is True and own not in str(proposal.content)


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
            handing.handover_propose(by=by, ident=held.uuid, claim="I was here")
    original = paying.handed_over(office, held.uuid)
    assert original.code is not None and not handing.vouchers_held(by=office).exists()
    with pytest.raises(handing.VoucherNotHeld):
        handing.handover_propose(by=paying.cashier(), ident=held.uuid, claim="me, too")
    assert vouchers.voucher_original(by=office, ident=held.uuid)[1].code == original.code
    digest = settings.CODE_KEYS.digest(original.code)
    payable = sources.of_kind(codes.VOUCHER).by_code(digest)
    assert payable is not None and payable.document_id == held.pk
    with pytest.raises(IntegrityError), transaction.atomic():
        Voucher.objects.filter(pk=held.pk).update(code_digest=b"x" * 16)


@pytest.fixture
def held(place: Point, office: StaffActor, emission: Emission) -> Voucher:
    play_end_unfinished(winning(place, emission))
    return handing.vouchers_held(by=office).get()


def test_one_cashier_alone_hands_nothing_over(office: StaffActor, held: Voucher) -> None:
    proposal = handing.handover_propose(by=office, ident=held.uuid, claim="receipt")
    with pytest.raises(ProposalPending):
        handing.handover_propose(by=paying.cashier(), ident=held.uuid, claim="mine")
    with pytest.raises(SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=factories.another_session(office))
    with pytest.raises(vouchers.VoucherUnknown):
        vouchers.voucher_original(by=office, ident=held.uuid)
    second = factories.staff(Role.SUPERVISOR)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    with pytest.raises(vouchers.VoucherUnknown):
        vouchers.voucher_original(by=second, ident=held.uuid)
    assert vouchers.voucher_original(by=office, ident=held.uuid)[1].code


def test_who_may_hand_over_no_more_has_no_code_of_what_they_handed_over(
    office: StaffActor, held: Voucher
) -> None:
    """The paper may be had until noon of the next day, by who still works at the desk."""
    assert paying.handed_over(office, held.uuid).code
    moved = dataclasses.replace(office, roles=frozenset({Role.ORGANISER}))
    with pytest.raises(PowerMissing):
        vouchers.voucher_original(by=moved, ident=held.uuid)
    with pytest.raises(PowerMissing):
        vouchers.voucher_print_confirm(by=moved, ident=held.uuid)


def test_who_handed_over_does_not_pay(office: StaffActor, held: Voucher) -> None:
    second = paying.cashier()
    proposal = handing.handover_propose(by=office, ident=held.uuid, claim="receipt")
    two_persons.confirm(proposal=proposal.uuid, by=second)
    code = vouchers.voucher_original(by=office, ident=held.uuid)[1].code
    assert code is not None
    for payer in (office, second):
        with pytest.raises(PayerHandedOver):
            desk_pay(by=payer, request=asked(held, code.grouped))
        assert desk_state(by=payer, code=code.grouped).checked.refusal == PayerHandedOver.code
        session = paying.session_of(payer)
        with (
            pytest.raises(IntegrityError, match="who handed the voucher over"),
            transaction.atomic(),
        ):
            pay(finding.by_code(code.grouped), asked(held), payer_at_desk(session, payer.user_id))
    other = paying.cashier()
    assert paying.paid_alone(other, asked(held, code.grouped)).amount_cents == held.amount_cents


def test_who_handed_over_does_not_confirm_its_payment_either(
    office: StaffActor, held: Voucher
) -> None:
    """Two persons pay a large amount: neither of them handed the voucher over."""
    second, other = paying.cashier(), paying.cashier()
    handover = handing.handover_propose(by=office, ident=held.uuid, claim="receipt")
    two_persons.confirm(proposal=handover.uuid, by=second)
    code = vouchers.voucher_original(by=office, ident=held.uuid)[1].code
    assert code is not None
    request = asked(held, code.grouped)
    with override_settings(SECOND_PERSON_FROM_CENTS=1):
        proposal = desk_pay(by=other, request=request)
        assert isinstance(proposal, Proposal)
        for again in (office, second):
            with pytest.raises(PayerHandedOver):
                two_persons.confirm(proposal=proposal.uuid, by=again)
            with (
                pytest.MonkeyPatch.context() as patch,
                pytest.raises(IntegrityError, match="who handed the voucher over"),
                transaction.atomic(),
            ):
                patch.setattr(desk.paying, "need_other_hands", lambda payable, staff_id: None)
                two_persons.confirm(proposal=proposal.uuid, by=again)
        paying.confirmed(proposal)
        paid = desk_pay(by=other, request=request)
    assert isinstance(paid, Paid) and paid.replayed


def asked(voucher: Voucher, code: str = "") -> PayRequest:
    return PayRequest(new_uuid(), voucher.amount_cents, intact=True, code=code)


def test_a_handover_waits_for_the_session_of_who_proposed_it(
    office: StaffActor, held: Voucher
) -> None:
    proposal = handing.handover_propose(by=office, ident=held.uuid, claim="receipt")
    session = paying.session_of(office)
    paying.cash_closed(office, session, session.float_cents)
    with pytest.raises(CashSessionMissing):
        paying.confirmed(proposal)
    assert handing.vouchers_held(by=office).get() == held


@pytest.mark.article("15.III.6.6")
def test_a_prize_is_handed_over_until_midnight_of_its_last_day(
    office: StaffActor, held: Voucher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """[P5]: whether or not the night has listed it as lapsed."""
    over = day_bounds(held.last_day)[1]
    factories.time_to(over - timedelta(minutes=10))
    proposal = handing.handover_propose(by=office, ident=held.uuid, claim="receipt")
    factories.time_to(over)
    assert not handing.vouchers_held(by=office).exists()
    with pytest.raises(ClaimLapsed):
        paying.confirmed(proposal)
    with pytest.raises(ClaimLapsed):
        handing.handover_propose(by=paying.cashier(), ident=held.uuid, claim="receipt")
    with monkeypatch.context() as patch, pytest.raises(IntegrityError, match="is not held"):
        patch.setattr(handing, "_need_held", lambda voucher: None)
        paying.confirmed(proposal)
    lapse(held.last_day)
    with pytest.raises(ClaimLapsed):
        paying.confirmed(proposal)


@pytest.mark.article("15.III.6.6")
def test_the_last_day_counts_and_a_price_due_back_never_lapses(
    place: Point, office: StaffActor, held: Voucher
) -> None:
    ladder = emitting.opened(emitting.document("trotters-ladder"))
    unplayed = PlayTicket.objects.get(uuid=emitting.sold(ladder, 1, place)[0])
    assert play_end_unfinished(unplayed) == "refund"
    factories.time_to(day_bounds(held.last_day)[1] - timedelta(minutes=1))
    assert paying.handed_over(office, held.uuid).code
    factories.time_pass(days=40)
    refund = Voucher.objects.get(ticket=unplayed)
    assert paying.handed_over(paying.cashier(), refund.uuid).code

"""Payments at a desk: from an open session, large ones by two persons."""

import pytest

from core.kernel.request_uuids import RequestUuidTooOld
from core.payoffice import refusals
from core.payoffice.models import Payment
from core.payoffice.services import desk, paying
from core.premises.models import Premises
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.article("14.III.10.2", "14.III.10.4"),
    pytest.mark.usefixtures("noon"),
]


KIND = Premises.Kind


def test_an_office_pays_only_from_an_open_session_that_holds_enough() -> None:
    big, small = given.worth(29_000, 500)
    central = factories.point(given.office())
    with pytest.raises(refusals.CashSessionMissing):
        paying.payment_make(at=central.actor, request=small.request())
    assert given.nothing_written()
    idle = factories.staff(Role.CASHIER)
    with pytest.raises(refusals.CashSessionMissing):
        desk.desk_pay(by=idle, request=small.request())
    with pytest.raises(PowerMissing):
        desk.desk_pay(by=factories.staff(Role.ADMINISTRATOR), request=small.request())
    poor = given.cashier(float_cents=1_000)
    with pytest.raises(refusals.CashShort):
        desk.desk_pay(by=poor, request=big.request())
    assert isinstance(desk.desk_pay(by=poor, request=small.request()), paying.Paid)


def test_one_person_pays_cash_below_300_and_no_more() -> None:
    below, at = given.worth(29_999, 30_000)
    cashier = given.cashier()
    assert isinstance(desk.desk_pay(by=cashier, request=below.request()), paying.Paid)
    proposal = desk.desk_pay(by=cashier, request=at.request())
    assert isinstance(proposal, Proposal)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=factories.another_session(cashier))
    assert Payment.objects.count() == 1
    given.confirmed(proposal)
    assert Payment.objects.get(proposal=proposal).means == "cash"


def test_a_large_sum_at_a_desk_takes_two_persons_and_counts_as_presented() -> None:
    (won,) = given.worth(100_001)
    cashier, other = given.cashier(), factories.staff(Role.SUPERVISOR)
    request = won.request(payee=given.MARIA)
    proposal = desk.desk_pay(by=cashier, request=request)
    assert isinstance(proposal, Proposal)
    assert desk.desk_pay(by=cashier, request=request) == proposal
    assert "Ferrer" not in str(proposal.content)
    factories.time_pass(days=60)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=cashier)
    with pytest.raises(two_persons.ProposalOld):
        two_persons.confirm(proposal=proposal.uuid, by=other)
    with pytest.raises(RequestUuidTooOld):  # to pay it now is another request
        desk.desk_pay(by=cashier, request=request)
    request = won.request(payee=given.MARIA)
    anew = desk.desk_pay(by=cashier, request=request)
    assert isinstance(anew, Proposal) and anew != proposal
    two_persons.confirm(proposal=anew.uuid, by=other)
    payment = Payment.objects.get()
    assert (payment.proposal, payment.staff_id) == (anew, cashier.user_id)
    answer = desk.desk_pay(by=cashier, request=request)
    assert isinstance(answer, paying.Paid)
    assert (answer.replayed, answer.cheque) == (True, 1)

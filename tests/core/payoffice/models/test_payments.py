"""The database's guards on payments, cheques and ceilings."""

import datetime
import uuid
from typing import Any

import pytest
from django.db import IntegrityError, ProgrammingError, transaction

from core.database import clock
from core.payoffice.models import CashCeiling, Claim, Payment
from core.payoffice.services import paying
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.payoffice.guards import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.article("14.III.10.4", "14.III.10.6")
def test_a_payment_is_by_one_payer_and_names_a_payee_for_a_cheque_only() -> None:
    paid, other = given.worth(500, 600)
    place = factories.point()
    paying.payment_make(at=place.actor, request=paid.request())
    payment = Payment.objects.get()
    columns: dict[str, Any] = {
        field.attname: getattr(payment, field.attname)
        for field in Payment._meta.fields
        if field.name not in ("id", "uuid", "claim")
    }
    staff = factories.staff(Role.CASHIER)
    with transaction.atomic():
        claim = Claim.objects.create(
            game="lototrot",
            document_id=other.ticket.pk,
            state="paid",
            amount_cents=500,
            opened_at=clock.now(),
        )
        for name, changes in (
            ("payment_by_one", {"staff_id": staff.user_id}),
            ("payment_by_one", {"session_id": None}),
            ("payment_payee_of_cheque", {"means": "nominative_cheque"}),
            ("payment_positive", {"amount_cents": 0}),
            ("payment_second_is_another", {"second_operator_id": columns["operator_id"]}),
            ("payment_large_by_two", {"amount_cents": 30_000}),
            ("no such premises", {"premises_id": 0}),
            ("no such session", {"terminal_id": 0}),
            ("no such session", {"operator_id": 0}),
            ("no such session", {"session_id": 0}),
            ("no such session", {"session_id": factories.point().session.pk}),
        ):
            with pytest.raises(IntegrityError, match=name), transaction.atomic():
                Payment.objects.create(uuid=uuid.uuid4(), claim=claim, **(columns | changes))
        transaction.set_rollback(True)


def test_a_payment_is_of_a_paid_claim_and_a_claim_is_paid_once() -> None:
    (won,) = given.worth(500)
    place = factories.point()
    paying.payment_make(at=place.actor, request=won.request())
    payment = Payment.objects.get()
    columns = {
        field.attname: getattr(payment, field.attname)
        for field in Payment._meta.fields
        if field.name not in ("id", "uuid")
    }
    refused("unique", Payment, uuid=uuid.uuid4(), **columns)
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        Payment.objects.update(amount_cents=1)


@pytest.mark.article("14.III.10.4")
def test_a_payee_is_of_one_payment() -> None:
    """The index holds it without an entry for each payment in cash, which names no payee."""
    won, other = given.worth(100_001, 600)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    columns = {
        field.attname: getattr(Payment.objects.get(), field.attname)
        for field in Payment._meta.fields
        if field.name not in ("id", "uuid")
    }
    with transaction.atomic():
        claim = Claim.objects.create(
            game="lototrot",
            document_id=other.ticket.pk,
            state="paid",
            amount_cents=600,
            opened_at=clock.now(),
        )
        ident, before = uuid.uuid4(), Payment.objects.get().proposal
        assert before is not None
        named = {"uuid": str(ident), "document_id": other.ticket.pk}
        proposal = factories.proposal("payoffice.payment", content=before.content | named)
        changed = {
            "uuid": ident,
            "claim_id": claim.pk,
            "proposal_id": proposal.pk,
            "staff_id": proposal.proposed_by_id,
        }
        refused("payment_of_payee", Payment, **(columns | changed))
        transaction.set_rollback(True)


@pytest.mark.article("14.III.10.2")
@pytest.mark.parametrize("place", ["establishment", "central_office"])
def test_a_payment_of_a_claim_that_is_held_or_not_there_is_refused(place: str) -> None:
    paid, other = given.worth(500, 600)
    paying.payment_make(at=factories.point().actor, request=paid.request())
    columns = {
        field.attname: getattr(Payment.objects.get(), field.attname)
        for field in Payment._meta.fields
        if field.name not in ("id", "uuid", "claim")
    }
    held = Claim.objects.create(
        game="lototrot",
        document_id=other.ticket.pk,
        state="held",
        amount_cents=500,
        opened_at=clock.now(),
    )
    for claim_id in (held.pk, held.pk + 1):
        changed = {"uuid": uuid.uuid4(), "claim_id": claim_id, "place": place}
        refused("the claim is not paid", Payment, **(columns | changed))


@pytest.mark.article("14.III.10.6")
def test_a_cash_ceiling_takes_two_persons() -> None:
    """[C3]"""
    refused(
        "two persons are needed",
        CashCeiling,
        in_force_from=datetime.date(2031, 1, 1),
        cents=50_000,
        source="Law",
        proposal=factories.proposal("payoffice.ruling", "cash_ceiling"),
        recorded_at=clock.now(),
    )
    assert not CashCeiling.objects.exists()

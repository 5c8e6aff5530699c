"""The database's guards on cheques, on what the bank paid for voided ones, and on recoveries."""

import uuid
from dataclasses import replace
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Manager

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice.models import Cheque, VoidedChequePayment
from core.payoffice.services import cheques, desk, personal_data
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.payoffice.guards import refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.article("14.III.10.6")
def test_a_payment_has_one_cheque_that_is_not_voided() -> None:
    (won,) = given.worth(100_001)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    cheque = Cheque.objects.get()
    columns = {
        "payment": cheque.payment,
        "payee": cheque.payee,
        "amount_cents": cheque.amount_cents,
        "state": "issued",
        "issued_at": clock.now(),
    }
    refused("cheque_of_payment", Cheque, number=2, **columns)
    refused("unique", Cheque, number=1, **columns)
    with pytest.raises(IntegrityError, match="cheque_state_whole"), transaction.atomic():
        Cheque.objects.update(state="presented")


@pytest.mark.article("14.III.10.4", "14.III.10.6")
def test_a_cheque_is_of_the_amount_and_the_payee_of_its_payment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A statement of SQL beside the payment could draw one for any sum, to anybody."""
    (won,) = given.worth(100_001)
    who, by = given.cashier(), factories.staff(Role.SUPERVISOR)
    mallory = personal_data.payee_encrypt(replace(given.MARIA, name="Mallory"))
    proposal = desk.desk_pay(by=who, request=won.request(payee=given.MARIA))
    for changes in ({"amount_cents": 10_000_100}, {"payee": mallory}):
        with monkeypatch.context() as patch:
            patch.setattr(cheques.Cheque, "objects", _Drawing(changes))
            with pytest.raises(IntegrityError, match="not what its payment is"):
                given.confirmed(proposal)
    given.confirmed(proposal)
    given.confirmed(cheques.cheque_void(by=by, number=1, reason="Lost."), Role.ORGANISER)
    again = cheques.cheque_reissue(by=by, number=1)
    for changes, says in (
        ({"amount_cents": 10_000_100}, "not what its payment is"),
        ({"payee": mallory}, "confirmed another"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(cheques.Cheque, "objects", _Drawing(changes))
            with pytest.raises(IntegrityError, match=says):
                given.confirmed(again, Role.ORGANISER)
    given.confirmed(again, Role.ORGANISER)
    void = factories.proposal("payoffice.cheque_void", content={"cheque": 1})
    with pytest.raises(IntegrityError, match="confirmed another"), transaction.atomic():
        Cheque.objects.filter(number=2).update(state="voided", voiding=void, void_reason="x")


class _Drawing(Manager[Cheque]):
    """The cheques, drawn with other columns than the program gives."""

    def __init__(self, changes: dict[str, Any]) -> None:
        super().__init__()
        self.model, self._changes = Cheque, changes

    def create(self, **columns: Any) -> Cheque:
        return super().create(**columns | self._changes)


def test_what_the_bank_paid_for_a_voided_cheque_takes_two_persons_and_settles_once() -> None:
    (won,) = given.worth(100_001)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    by = factories.staff(Role.SUPERVISOR)
    cheque = Cheque.objects.get()

    def columns(kind: str = "payoffice.ruling", **other: str) -> dict[str, Any]:
        decided: dict[str, Any] = {"cheque": 1, "outcome": "settled", "reason": "x"}
        decided |= {"amount_cents": cheque.amount_cents}
        decided |= {"presented_on": str(natural_day(clock.now()))} | other
        return {
            "uuid": uuid.uuid4(),
            "cheque": cheque,
            "amount_cents": cheque.amount_cents,
            "presented_on": natural_day(clock.now()),
            "outcome": "settled",
            "reason": "x",
            "proposal": factories.proposal(kind, content=decided),
            "recorded_at": clock.now(),
        }

    refused("it is not voided", VoidedChequePayment, **columns())
    given.confirmed(cheques.cheque_void(by=by, number=1, reason="Lost."), Role.ORGANISER)
    refused("two persons are needed", VoidedChequePayment, **columns())
    less = columns() | {"amount_cents": 1}
    refused("it is not voided", VoidedChequePayment, **less)
    named = {"cheque": "2", "outcome": "loss", "reason": "y", "presented_on": "2030-01-01"}
    for name, value in named.items():
        other = columns("payoffice.cheque_paid_voided", **{name: value})
        refused("two persons confirmed another", VoidedChequePayment, **other)
    day = natural_day(clock.now())
    asked: dict[str, Any] = {"amount_cents": 100_001, "presented_on": day, "reason": "Statement."}
    given.confirmed(cheques.cheque_reissue(by=by, number=1), Role.ORGANISER)
    refused("another stands for it", VoidedChequePayment, **columns())
    given.confirmed(cheques.cheque_void(by=by, number=2, reason="Cashed."), Role.ORGANISER)
    paid = cheques.voided_cheque_paid(by=by, number=1, outcome="settled", **asked)
    given.confirmed(paid, Role.ORGANISER)
    refused(
        "its payee has the money",
        Cheque,
        number=3,
        payment=cheque.payment,
        payee=cheque.payee,
        amount_cents=cheque.amount_cents,
        state="issued",
        issued_at=clock.now(),
        replaces=Cheque.objects.get(number=2),
        reissue=factories.proposal("payoffice.cheque_reissue"),
    )

"""The registers of the prize office: who reads which rows."""

from typing import Any

import pytest

from core.payoffice import selectors
from core.payoffice.models import CashSession, Payment
from core.payoffice.services import goods, paying
from core.payoffice.services.presenting import presentation_make
from core.premises.access import BareTerminal
from core.premises.requests import new_uuid
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def terminal_of(place: factories.Point) -> BareTerminal:
    """Return the terminal as it asks without an operator signed on."""
    actor = place.actor
    return BareTerminal(
        terminal_id=actor.terminal_id,
        premises_id=actor.premises_id,
        premises_kind=actor.premises_kind,
    )


def test_payments_are_listed_by_premises() -> None:
    here, there = given.worth(500, 600)
    first, second = factories.point(), factories.point()
    paying.payment_make(at=first.actor, request=here.request())
    paying.payment_make(at=second.actor, request=there.request())
    auditor = factories.staff(Role.AUDITOR)
    assert selectors.payments(by=auditor).count() == 2
    (payment,) = selectors.payments(by=auditor, premises=second.premises.code)
    assert payment.amount_cents == 600
    assert not selectors.payments(by=auditor, premises="NONE").exists()


def test_a_terminal_reads_the_acts_of_its_premises_only() -> None:
    paid, presented = given.worth(500, 600)
    place, elsewhere = factories.point(), factories.point()
    paying.payment_make(at=place.actor, request=paid.request())
    presentation = presentation_make(at=place.actor, code=presented.code)
    payment = Payment.objects.get()
    here, there = terminal_of(place), terminal_of(elsewhere)
    assert selectors.payment(at=here, ident=payment.uuid) == payment
    assert selectors.presentation(at=here, ident=presentation.uuid) == presentation
    with pytest.raises(selectors.PaymentUnknown):
        selectors.payment(at=there, ident=payment.uuid)
    with pytest.raises(selectors.PresentationUnknown):
        selectors.presentation(at=there, ident=presentation.uuid)
    auditor = factories.staff(Role.AUDITOR)
    assert selectors.payment(at=auditor, ident=payment.uuid) == payment
    with pytest.raises(selectors.ExchangeUnknown):
        selectors.exchange(by=auditor, ident=new_uuid())


@pytest.mark.article("14.III.10.5")
def test_deposits_wait_until_they_are_ruled_upon() -> None:
    (won,) = given.worth(500)
    place, auditor = factories.point(), factories.staff(Role.AUDITOR)
    matched = given.deposited(won.code, place.actor)
    unmatched = given.deposited("", place.actor, "unreadable")
    assert set(selectors.deposits(by=auditor)) == {matched, unmatched}
    given.ruled(unmatched, "refused")
    assert list(selectors.deposits(by=auditor)) == [matched]
    factories.time_pass(days=40)
    auditor = factories.staff(Role.AUDITOR)
    given.ruled(matched, "granted")
    assert not selectors.deposits(by=auditor).exists()
    assert selectors.deposits(by=auditor, waiting=False).count() == 2


@pytest.mark.article("14.III.10.6")
def test_cheques_sessions_and_stock() -> None:
    (won,) = given.worth(100_001)
    cashier = given.cashier()
    given.cashier()
    given.paid_by_two(cashier, won.request(payee=given.MARIA))
    (cheque,) = selectors.cheques(by=cashier, state="issued")
    assert cheque.number == 1
    assert not selectors.cheques(by=cashier, state="voided").exists()
    assert list(selectors.cash_sessions(by=cashier, own=True)) == [given.session_of(cashier)]
    assert selectors.cash_sessions(by=cashier).count() == CashSession.objects.count() == 2
    keeper = factories.staff(Role.SUPERVISOR)
    thing = {"code": "bike", "description": "Bicycle", "unit_cents": 400}
    goods.stock_register(by=keeper, **thing)
    assert [item.units for item in selectors.stock(by=keeper)] == [None]
    given.stock_moved(keeper, given.session_of(cashier).premises, 3, "bike")
    assert [item.units for item in selectors.stock(by=keeper)] == [3]


@pytest.mark.parametrize(
    "read", [selectors.payments, selectors.deposits, selectors.cheques, selectors.stock]
)
def test_a_register_is_for_those_who_may_read_it(read: Any) -> None:
    with pytest.raises(PowerMissing):
        read(by=factories.staff(Role.STEWARDS))

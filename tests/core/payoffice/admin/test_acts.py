"""The office's acts in the admin: deposits, cash, cheques, stock and ceilings."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice.models import (
    CashCeiling,
    CashSession,
    Cheque,
    Claim,
    DepositMatch,
    StockItem,
)
from core.payoffice.services import deposits, goods
from core.payoffice.services.personal_data import payee_decrypt
from core.premises.requests import new_uuid
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.admin_desk import Desk, confirm_all, row_url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_a_deposit_is_matched_and_ruled_upon_by_two_persons() -> None:
    (won,) = given.worth(500)
    request = deposits.DepositRequest(new_uuid(), "unreadable")
    deposit = deposits.deposit_take(at=factories.point().actor, request=request)
    first = Desk(Role.SUPERVISOR)
    typed = {"game": "lototrot", "document": str(won.ticket.uuid), "evidence": "Sold then."}
    first.do(deposit, "match", **typed)
    claim = DepositMatch.objects.get().claim
    assert not first.offers(deposit, "match")
    verdict = {"verdict": "refused", "reason": "Forged."}
    first.refused(deposit, "rule", "period_running", **verdict)
    factories.time_pass(days=40)
    first, second = Desk(person=first.person), Desk(Role.ORGANISER)  # sessions have ended
    first.do(deposit, "rule", **verdict)
    confirm_all(second)
    claim.refresh_from_db()
    assert claim.state == Claim.State.REFUSED
    assert not first.offers(claim, "rule")


def test_cash_cheques_stock_and_ceiling() -> None:
    (won,) = given.worth(100_001)
    place = given.office()
    cashier, first, second = Desk(Role.CASHIER), Desk(Role.SUPERVISOR), Desk(Role.ORGANISER)
    cashier.do(CashSession, "open", premises=place.pk, float_cents="1000,00")
    session = CashSession.objects.get()
    cashier.do(session, "move", cents="-250.00", reason="To the safe.")
    cashier.refused(session, "move", "proposal_pending", cents="-1", reason="More.")
    confirm_all(first)
    cashier.refused(session, "move", "cash_short", cents="-750.01", reason="More.")
    counted = {"pieces_50000": "1", "pieces_20000": "1", "pieces_2000": "2", "pieces_500": "1"}
    counted |= {"pieces_200": "2", "pieces_50": "1"}
    cashier.refused(session, "close", "difference_unexplained", **counted)
    cashier.do(session, "close", **counted, reason="change", words="A guess.")
    confirm_all(first)
    session.refresh_from_db()
    assert session.difference_cents == -50
    given.paid_by_two(given.cashier(place), won.request(payee=given.MARIA))
    cheque = Cheque.objects.get()
    assert not cashier.offers(cheque, "void")
    first.do(cheque, "void", reason="Lost.")
    confirm_all(second)
    today = natural_day(clock.now())
    paid = {"amount_cents": "1000.01", "presented_on": today.isoformat(), "outcome": "loss"}
    first.do(cheque, "bank-paid", reason="Stolen.", **paid)
    confirm_all(second)
    cheque.refresh_from_db()
    assert cheque.bank_payment.outcome == "loss"
    first.do(cheque, "reissue", name="Maria Ferrer", document_kind="nie", document_number="X1")
    confirm_all(second)
    named = payee_decrypt(Cheque.objects.get(number=2).payee)
    assert (named.name, named.document_kind, named.document_number) == ("Maria Ferrer", "nie", "X1")
    latest = Cheque.objects.get(number=2)
    first.do(latest, "reconcile", amount_cents="1000.01", presented_on=today.isoformat())
    latest.refresh_from_db()
    assert latest.state == Cheque.State.PRESENTED
    worthless = first.client.post(
        "/admin/payoffice/stockitem/register/",
        {"code": "bike", "description": "Bike", "unit_cents": "0", "do": "1"},
    )
    assert worthless.status_code == 200 and not StockItem.objects.exists()
    first.do(StockItem, "register", code="bike", description="Bike", unit_cents="400")
    item = StockItem.objects.get()
    first.do(item, "move", premises=place.pk, units="2", reason="Delivered.")
    assert goods.stock_units(item) == 0
    confirm_all(second)
    first.refused(item, "move", "stock_units_wrong", premises=place.pk, units=10**10, reason="All.")
    first.refused(item, "move", "out_of_stock", premises=place.pk, units="-3", reason="Lost.")
    first.do(item, "move", premises=place.pk, units="-1", reason="Lost.")
    confirm_all(second)
    assert goods.stock_units(item) == 1
    assert f"{place}: 1" in first.get(row_url(item))
    day = (today + timedelta(days=9)).isoformat()
    second.do(CashCeiling, "propose", in_force_from=day, cents="999", source="Law")
    confirm_all(Desk(Role.ORGANISER))
    assert CashCeiling.objects.get().cents == 99_900

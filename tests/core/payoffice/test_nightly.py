"""Check that a night lists payments to those who work here, and by who had looked them up."""

from datetime import date
from typing import Any

import pytest

from core.database import clock
from core.journal import acting
from core.kernel.days import natural_day
from core.payoffice.models import Claim, Exchange, Payee
from core.payoffice.nightly import looked_up_and_paid
from core.payoffice.services import checking, goods, paying, presenting
from core.payoffice.services.personal_data import PayeeFacts, namesakes
from core.premises.models import Operator
from core.premises.requests import new_uuid
from core.staff.actor import StaffActor
from core.staff.models import User
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.admin_desk import Desk, row_url

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def today() -> date:
    return natural_day(clock.now())


def listed(name: str) -> list[dict[str, Any]]:
    outcome = looked_up_and_paid(today())
    rows = list(outcome.listed.get(name, ()))
    assert outcome.counts[name] == len(rows)
    return [dict(row) for row in rows]


def acting_as(by: StaffActor) -> Any:
    return acting.acting("office_check_post", staff=by.user_id, staff_session=by.session_id)


def test_a_payee_named_like_a_member_of_staff_is_listed_and_not_by_name() -> None:
    cashier = given.cashier()
    colleague = factories.staff(Role.SUPERVISOR, name="Joan Àngel Pons i Mas")
    (won,) = given.worth(100_001)
    facts = PayeeFacts("PONS MAS, Joan Angel", "dni", "43123456Z")
    payment = given.paid_by_two(cashier, won.request(payee=facts))
    (row,) = listed("named_like_staff")
    assert row["payment"] == str(payment.uuid)
    assert row["like_user"] == colleague.name
    assert Payee.objects.get().like_user_id == colleague.user_id
    assert "PONS" not in str(row)


@pytest.mark.parametrize(
    ("payee", "alike"),
    [
        ("Núria Coll", True),
        ("coll nuria", True),
        ("Nuria Coll Vidal", True),
        ("Nuria", False),
        ("Pere Coll", False),
        ("", False),
    ],
)
def test_names_are_compared_without_capitals_accents_and_order(payee: str, alike: bool) -> None:
    point = factories.point()
    Operator.objects.create(
        premises=point.premises,
        number=77,
        name="Núria Coll",
        pin="x",
        created_at=clock.now(),
        created_by_id=factories.staff(Role.ORGANISER).user_id,
    )
    names = namesakes(payee)
    assert (names[1] is not None) == alike
    assert names[0] is None


def test_a_shop_that_was_told_of_a_prize_and_pays_it_later_itself_is_listed() -> None:
    won, at_once, elsewhere = given.worth(500, 600, 700)
    shop, other = factories.point(), factories.point()
    for each in (won, elsewhere):
        checking.document_check(at=shop.actor, code=each.code)
    factories.time_pass(minutes=31)
    checking.document_check(at=shop.actor, code=at_once.code)
    for each, place in ((won, shop), (at_once, shop), (elsewhere, other)):
        paying.payment_make(at=place.actor, request=each.request())
    (row,) = listed("told_before")
    assert row["document"] == won.ticket.pk
    assert (row["premises"], row["door"]) == (shop.premises.code, "claims_check_post")
    assert row["looked_by"] == str(shop.operator.number)


def test_a_cashier_who_kept_a_code_and_pays_it_later_is_listed() -> None:
    (won,) = given.worth(500)
    cashier, colleague = given.cashier(), given.cashier()
    with acting_as(cashier):
        checking.desk_state(by=cashier, code=won.code)
    with acting_as(colleague):
        checking.desk_state(by=colleague, code=won.code)
    assert listed("told_before") == []
    factories.time_pass(minutes=31)
    given.paid_alone(cashier, won.request())
    (row,) = listed("told_before")
    assert row["door"] == "office_check_post"
    assert User.objects.get(pk=cashier.user_id).username in row["looked_by"]


def test_a_thing_that_a_cashier_was_told_of_and_gives_out_later_is_listed() -> None:
    """A thing worth less than 300.00 takes one person, who may have sent the player away."""
    kept, honest = given.bicycles()
    office = given.office()
    cashier = given.cashier(office)
    given.stocked(office, 2)
    with acting_as(cashier):
        checking.desk_state(by=cashier, code=kept.code)
    factories.time_pass(minutes=31)
    with acting_as(cashier):
        checking.desk_state(by=cashier, code=honest.code)
    for each in (kept, honest):
        request = goods.ExchangeRequest(new_uuid(), intact=True, code=each.code)
        goods.exchange_make(by=cashier, request=request)
    (row,) = listed("told_before")
    assert (row["document"], row["means"]) == (kept.ticket.pk, "in_kind")
    assert row["payment"] == str(Exchange.objects.get(claim__document_id=kept.ticket.pk).uuid)


def test_who_looked_a_claim_up_without_its_code_and_then_paid_it_is_listed() -> None:
    seen, unseen = given.worth(500, 600)
    cashier = given.cashier()
    for each in (seen, unseen):
        presenting.presentation_make(at=factories.point().actor, code=each.code)
    claim = Claim.objects.get(document_id=seen.ticket.pk)
    Desk(person=User.objects.get(pk=cashier.user_id)).get(row_url(claim))
    for each in (seen, unseen):
        with acting_as(cashier):
            checking.desk_state(by=cashier, code=each.code)
        given.paid_alone(cashier, each.request())
    (row,) = listed("looked_up_before")
    assert (row["document"], row["means"]) == (seen.ticket.pk, "cash")
    assert row["door"].startswith("admin_payoffice_claim")
    assert listed("told_before") == []

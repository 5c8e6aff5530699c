"""The bodies and answers of the desk: defaults, limits, and rows as they are answered."""

from typing import Any

import pytest

from core.api.shapes import Shape
from core.payoffice import selectors
from core.payoffice.api import office_shapes
from core.payoffice.models import Payment
from core.payoffice.services import desk, paying
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given

UUID = "0190a6c8-5f6e-7000-8000-6f2a0b6a2f11"


def read(shape: type[Shape], body: dict[str, Any]) -> dict[str, Any]:
    """Return the body as a view gets it."""
    parsed = shape(data=body)
    assert parsed.is_valid(), parsed.errors
    return dict(parsed.validated_data)


def errors(shape: type[Shape], body: dict[str, Any]) -> set[str]:
    parsed = shape(data=body)
    assert not parsed.is_valid()
    return set(parsed.errors)


def test_a_document_is_named_by_code_or_by_receipt() -> None:
    assert read(office_shapes.DocumentIn, {}) == {"code": "", "deposit": None}
    by_receipt = read(office_shapes.DocumentIn, {"deposit": UUID})
    assert str(by_receipt["deposit"]) == UUID
    assert errors(office_shapes.DocumentIn, {"code": "x" * 97}) == {"code"}


@pytest.mark.article("14.III.10.5")
def test_a_ruling_is_granted_or_refused_with_a_reason() -> None:
    ruling = {"verdict": "granted", "reason": "Genuine."}
    assert read(office_shapes.RulingIn, ruling) == {
        **ruling,
        "deposit": None,
        "game": "",
        "document": None,
    }
    assert errors(office_shapes.RulingIn, {"verdict": "paid", "reason": ""}) == {
        "verdict",
        "reason",
    }
    assert errors(office_shapes.MatchIn, {"game": "roulette"}) == {"game", "document", "evidence"}


@pytest.mark.article("15.III.6.5")
def test_an_exchange_says_whether_the_paper_is_intact() -> None:
    assert errors(office_shapes.ExchangeIn, {"uuid": UUID, "code": "1ABC"}) == {"intact"}
    assert errors(office_shapes.ExchangeIn, {"uuid": "x", "intact": True}) == {"uuid"}


@pytest.mark.django_db
def test_a_row_of_a_payment_names_the_terminal_or_the_cashier() -> None:
    factories.time_to(rounds.NOON)
    small, medium = given.worth(500, 29_000)
    place, cashier = factories.point(), given.cashier()
    paying.payment_make(at=place.actor, request=small.request())
    desk.desk_pay(by=cashier, request=medium.request())
    rows = selectors.payments(by=factories.staff(Role.AUDITOR)).order_by("pk")
    at_terminal, at_desk = office_shapes.PaymentRowOut(rows, many=True).data
    assert (at_terminal["terminal"], at_terminal["cashier"]) == (place.terminal.code, None)
    assert (at_desk["terminal"], at_desk["amount_cents"]) == (None, 29_000)
    assert at_desk["cashier"] == str(Payment.objects.get(amount_cents=29_000).staff)


@pytest.mark.django_db
@pytest.mark.article("14.III.10.5")
def test_a_row_of_a_deposit_says_what_it_matched() -> None:
    factories.time_to(rounds.NOON)
    (won,) = given.worth(500)
    place = factories.point().actor
    given.deposited(won.code, place)
    given.deposited("", place, "unreadable")
    rows = selectors.deposits(by=factories.staff(Role.AUDITOR)).order_by("pk")
    matched, unmatched = office_shapes.DepositRowOut(rows, many=True).data
    assert (matched["state"], matched["amount_cents"], matched["matched"]) == ("held", 500, True)
    assert (unmatched["state"], unmatched["amount_cents"]) == (None, None)
    assert not unmatched["matched"]

"""The office's papers over the API: slips and receipts."""

import uuid

import pytest

from core.premises.requests import new_uuid
from core.staff.powers import Role
from tests.support import factories, paying, rounds
from tests.support.api import Api, refused, staff_api, terminal_api

pytestmark = pytest.mark.django_db


CHECK, PAY, OFFICE = "claims/check", "claims/payments", "office/check"


@pytest.mark.parametrize("lang", ["ca", "es", "en"])
def test_a_status_slip_in_three_languages(api: Api, lang: str) -> None:
    (won,) = paying.worth(50_000)
    text = api.post(f"claims/slip.txt?lang={lang}", {"code": won.code}).content.decode()
    amount = "€500.00" if lang == "en" else "500,00 €"
    assert amount in text
    assert ("1 Apr 2030" if lang == "en" else "01/04/2030") in text
    assert str(won.ticket.uuid) in text
    assert won.code not in text
    assert api.post("claims/slip.pdf", {"code": won.code}).content.startswith(b"%PDF")
    assert api.post("claims/slip.escpos", {"code": won.code}).content.startswith(b"\x1b@")


@pytest.mark.article("14.III.10.2", "14.III.10.5")
def test_receipts_are_for_the_premises_that_gave_them_and_for_the_office(api: Api) -> None:
    paid, presented, torn = paying.worth(500, 600, 700)
    body = paid.body()
    api.post(PAY, body)
    presentation = api.post("claims/presentations", {"code": presented.code, "intact": True})
    deposit = {
        "uuid": str(new_uuid()),
        "code": torn.code,
        "reason": "damaged",
        "notes": "Torn.",
    }
    api.post("claims/deposits", deposit)
    elsewhere, cashier = terminal_api(factories.point()), staff_api(Role.CASHIER)
    for kind, number, code in (
        ("payments", body["uuid"], "payment_unknown"),
        ("presentations", presentation.json()["receipt"], "presentation_unknown"),
        ("deposits", deposit["uuid"], "deposit_unknown"),
    ):
        path = f"{kind}/{number}/receipt"
        assert number in api.get(f"claims/{path}.txt").content.decode()
        assert cashier.get(f"office/{path}.pdf").content.startswith(b"%PDF")
        refused(elsewhere.get(f"claims/{path}.txt"), 404, code)
        refused(Api().get(f"claims/{path}.txt"), 401, "credentials_missing")
        refused(cashier.get(f"office/{kind}/{uuid.uuid4()}/receipt.txt"), 404, code)


def test_a_paper_in_an_unknown_form_or_language_is_refused(api: Api) -> None:
    (won,) = paying.worth(500)
    assert api.post("claims/slip.doc", {"code": won.code}).status_code == 404
    refused(api.post("claims/slip.txt?lang=fr", {"code": won.code}), 422, "fields_invalid")


def test_the_office_prints_the_state_of_a_document() -> None:
    factories.time_to(rounds.NOON)
    (won,) = paying.worth(500)
    slip = staff_api(Role.AUDITOR).post("office/slip.txt?lang=en", {"code": won.code})
    assert "€5.00" in slip.content.decode()
    refused(
        staff_api(Role.STEWARDS).post("office/slip.txt", {"code": won.code}), 403, "power_missing"
    )
    number = uuid.uuid4()
    missing = staff_api(Role.CASHIER).get(f"office/exchanges/{number}/document.txt")
    refused(missing, 404, "exchange_unknown")

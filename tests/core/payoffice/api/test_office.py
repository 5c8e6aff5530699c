"""The prize office's desk over the API: checks, payments and deposits."""

import base64

import pytest

from core.payoffice.api import office_shapes
from core.premises.requests import new_uuid
from core.staff.powers import Role
from tests.support import factories, paying
from tests.support.api import refused, staff_api

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)
MARIA = {"name": "Maria Ferrer", "document_kind": "dni", "document_number": "43123456Z"}


@pytest.mark.article("14.III.10.2", "14.III.10.4")
def test_a_payment_at_the_desk_and_who_learns_of_it() -> None:
    (won,) = paying.worth(29_900)
    cashier = paying.desk_api()
    check = cashier.post("office/check", {"code": won.code}).json()
    assert set(check) == set(office_shapes.DeskOut().fields)
    assert (check["state"], check["refusal"]) == ("prize", "")
    assert check["actions"] == ["pay", "present", "deposit"]
    body = won.body()
    paid = cashier.post("office/payments", body)
    assert (paid.status_code, paid.json()["proposal"]) == (201, None)
    again = cashier.post("office/payments", body)
    assert (again.status_code, again.json()) == (200, paid.json())
    seen = staff_api(Role.AUDITOR).post("office/check", {"code": won.code}).json()
    (act,) = seen["happened"]
    assert (act["what"], act["means"], seen["actions"]) == ("paid", "cash", [])
    (row,) = staff_api(Role.AUDITOR).get("office/payments").json()["items"]
    assert (row["uuid"], row["premises"], row["amount_cents"]) == (
        body["uuid"],
        act["premises"],
        29_900,
    )
    text = cashier.get(f"office/payments/{body['uuid']}/receipt.txt", lang="ca").content.decode()
    assert "299,00" in text
    refused(
        staff_api(Role.CASHIER).post("office/payments", won.body()), 409, "cash_session_missing"
    )
    refused(staff_api(Role.STEWARDS).post("office/payments", won.body()), 403, "power_missing")


@pytest.mark.article("14.III.10.5")
def test_a_deposit_from_the_counter_to_its_payment() -> None:
    (won,) = paying.worth(500)
    cashier = paying.desk_api()
    body = {"uuid": str(new_uuid()), "reason": "unreadable", "notes": "Burnt."}
    assert cashier.post("office/deposits", body).json()["matched"] is False
    image = {"media_type": "image/png", "content": base64.b64encode(PNG).decode()}
    path = f"office/deposits/{body['uuid']}"
    kept = cashier.post(f"{path}/images", image).json()["image"]
    by = staff_api(Role.SUPERVISOR)
    assert by.get(f"office/images/{kept}").content == PNG
    refused(cashier.get(f"office/images/{kept}"), 403, "power_missing")
    match = {"game": "lototrot", "document": str(won.ticket.uuid), "evidence": "Sold at 18:02."}
    assert by.post(f"{path}/match", match).json()["amount_cents"] == 500
    (row,) = by.get("office/deposits").json()["items"]
    assert (row["state"], row["amount_cents"], len(row["images"])) == ("held", 500, 1)
    factories.time_pass(days=40)
    by = staff_api(Role.SUPERVISOR)
    (due,) = by.get("office/rulings").json()["items"]
    assert due["deposit"] == body["uuid"]
    ruling = {"deposit": body["uuid"], "verdict": "granted", "reason": "Genuine."}
    assert (
        paying.confirmed_over_api(
            by.post("office/rulings", ruling).json(), Role.ORGANISER
        ).status_code
        == 200
    )
    cashier = staff_api(Role.CASHIER)
    cashier.post("office/cash-sessions", {"premises": paying.office().code, "float_cents": 1_000})
    seen = cashier.post("office/check", {"deposit": body["uuid"]}).json()
    assert (seen["state"], seen["actions"][0]) == ("granted", "pay")
    refused(cashier.post("office/payments", won.body()), 409, "deposit_receipt_needed")
    asked = won.body(deposit=body["uuid"])
    del asked["code"]
    paid = cashier.post("office/payments", asked)
    assert paid.status_code == 201
    assert by.get("office/deposits").json()["items"] == []
    assert len(by.get("office/deposits", waiting="false").json()["items"]) == 1

"""Cash sessions, cheques, stock and ceilings over the API."""

from typing import Any

import pytest

from core.database import clock
from core.kernel.days import natural_day
from core.staff.powers import Role
from tests.support import paying
from tests.support.api import Api, refused, staff_api
from tests.support.payoffice.counting import counting_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


MARIA = {"name": "Maria Ferrer", "document_kind": "dni", "document_number": "43123456Z"}


@pytest.mark.article("14.III.10.6")
def test_a_large_cheque_by_two_persons_and_its_life() -> None:
    (won,) = paying.worth(300_001)
    cashier = paying.desk_api()
    refused(cashier.post("office/payments", won.body()), 422, "payee_missing")
    body = won.body(payee=MARIA)
    answer = cashier.post("office/payments", body)
    assert (answer.status_code, answer.json()["payment"]) == (202, None)
    proposal = answer.json()["proposal"]
    assert cashier.post("office/payments", body).json() == answer.json()
    assert "Ferrer" not in answer.content.decode()
    assert paying.confirmed_over_api(proposal).status_code == 200
    paid = cashier.post("office/payments", body)
    assert (paid.status_code, paid.json()["payment"]["cheque"]) == (200, 1)
    assert cashier.get("office/cheques/1.pdf").content.startswith(b"%PDF")
    refused(staff_api(Role.AUDITOR).get("office/cheques/1.pdf"), 403, "power_missing")
    refused(cashier.get("office/cheques/9.pdf"), 404, "cheque_unknown")
    by = staff_api(Role.SUPERVISOR)
    assert (
        paying.confirmed_over_api(
            by.post("office/cheques/1/voiding", {"reason": "Torn."}).json(), Role.ORGANISER
        ).status_code
        == 200
    )
    asked = {"amount_cents": 300_001, "reason": "Statement of the bank.", "outcome": "loss"}
    asked |= {"presented_on": natural_day(clock.now()).isoformat()}
    refused(
        by.post("office/cheques/1/bank-payment", asked | {"amount_cents": 1}),
        409,
        "cheque_amount_differs",
    )
    proposed = by.post("office/cheques/1/bank-payment", asked)
    assert paying.confirmed_over_api(proposed.json(), Role.ORGANISER).status_code == 200
    refused(by.post("office/cheques/1/bank-payment", asked), 409, "cheque_not_voided")
    day = natural_day(clock.now()).isoformat()
    back = {"amount_cents": 200_000, "credited_on": day, "reference": "TR 1", "returned_by": "bank"}
    _given_back(by, back)
    reply = by.post("office/cheques/1/reissue", {"payee": {**MARIA, "name": "Maria Ferrer Riera"}})
    assert paying.confirmed_over_api(reply.json(), Role.ORGANISER).status_code == 200
    items = {"items": [{"number": 2, "amount_cents": 300_001, "presented_on": day}]}
    (row,) = by.post("office/cheques/reconciliation", items).json()["items"]
    assert (row["state"], row["replaces"]) == ("presented", 1)
    on_record = {"items": [{"number": 1, "amount_cents": 300_001, "presented_on": day}]}
    (row,) = by.post("office/cheques/reconciliation", on_record).json()["items"]
    paid = row["bank_payment"]
    assert (paid["presented_on"], paid["outcome"]) == (day, "loss")
    (recovery,) = row["recoveries"]
    assert (row["still_lost_cents"], recovery) == (100_001, recovery | back)
    states = [each["state"] for each in by.get("office/cheques").json()["items"]]
    assert states == ["presented", "voided"]


def _given_back(by: Api, back: dict[str, Any]) -> None:
    path = "office/cheques/1/recoveries"
    refused(by.post("office/cheques/9/recoveries", back), 404, "cheque_unknown")
    refused(by.post(path, back | {"amount_cents": 300_002}), 409, "recovery_amount_wrong")
    refused(by.post(path, back | {"credited_on": "2030-01-01"}), 422, "recovery_day_wrong")
    for wrong in ({"amount_cents": 0}, {"returned_by": "payee"}, {"reference": " "}):
        assert by.post(path, back | wrong).status_code == 422
    refused(staff_api(Role.AUDITOR).post(path, back), 403, "power_missing")
    proposed = by.post(path, back)
    assert proposed.status_code == 202
    refused(by.post(path, back), 409, "proposal_pending")
    assert paying.confirmed_over_api(proposed.json(), Role.ORGANISER).status_code == 200
    refused(by.post(path, back | {"amount_cents": 1}), 409, "recovery_recorded")


def test_cash_and_stock() -> None:
    cashier = paying.desk_api()
    taken = {"cents": -500_000, "reason": "To the safe."}
    waits = cashier.post("office/cash-sessions/movements", taken)
    assert (waits.status_code, waits.json()["movement"]) == (202, None)
    refused(cashier.post("office/cash-sessions/movements", taken), 409, "proposal_pending")
    assert paying.confirmed_over_api(waits.json()["proposal"]).status_code == 200
    (session,) = cashier.get("office/cash-sessions", own="true").json()["items"]
    path = f"office/cash-sessions/{session['uuid']}/close"
    other = staff_api(Role.CASHIER)
    refused(other.post(path, counting_of(0)), 404, "cash_session_unknown")
    why = {"reason": "other", "words": "x"}
    proposed = cashier.post(path, counting_of(1_500_100) | why)
    assert proposed.status_code == 202
    assert paying.confirmed_over_api(proposed.json()).status_code == 200
    (closed,) = cashier.get("office/cash-sessions", own="true").json()["items"]
    assert (closed["expected_cents"], closed["difference_cents"]) == (1_500_000, 100)
    by = staff_api(Role.SUPERVISOR)
    item = {"code": "game:bicycle", "description": "Bicycle", "unit_cents": 40_000}
    assert by.post("office/stock", item).status_code == 201
    moved = {"premises": session["premises"], "units": 3, "reason": "Delivered."}
    waits = by.post("office/stock/game:bicycle/movements", moved)
    assert waits.status_code == 202
    refused(by.post("office/stock/game:bicycle/movements", moved), 409, "proposal_pending")
    assert by.get("office/stock").json()["items"][0]["units"] == 0
    assert paying.confirmed_over_api(waits.json()).status_code == 200
    refused(
        by.post("office/stock/game:bicycle/movements", moved | {"units": -4}), 409, "out_of_stock"
    )
    out = by.post("office/stock/game:bicycle/movements", moved | {"units": -1})
    assert out.status_code == 202
    confirmed = paying.confirmed_over_api(out.json(), Role.ORGANISER)
    assert confirmed.status_code == 200
    (row,) = by.get("office/stock").json()["items"]
    assert (row["code"], row["units"]) == ("game:bicycle", 2)
    refused(
        by.post(
            "office/cash-ceilings", {"in_force_from": "2030-03-02", "cents": 1, "source": "Law"}
        ),
        403,
        "power_missing",
    )
    law = {"in_force_from": "2030-03-02", "cents": 1, "source": "Law"}
    refused(staff_api(Role.ORGANISER).post("office/cash-ceilings", law), 422, "ceiling_not_later")

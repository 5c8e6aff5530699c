"""Losses by voided cheques that are written off, and entries taken back, over the API (ADR 69)."""

import pytest

from core.staff.powers import Role
from tests.support import paying
from tests.support.api import Api, refused, staff_api
from tests.support.payoffice.losing import LOST_CENTS, lost, recovered

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_a_recovery_is_taken_back_and_the_loss_written_off() -> None:
    recovered(lost(), 60_000)
    by = staff_api(Role.SUPERVISOR)
    (row,) = by.get("office/cheques").json()["items"]
    (recovery,) = row["recoveries"]
    assert (row["write_offs"], recovery["reversed_at"]) == ([], None)
    _taken_back(by, recovery["uuid"])
    _written_off(by)
    (row,) = by.get("office/cheques").json()["items"]
    (recovery,), (off,) = row["recoveries"], row["write_offs"]
    assert recovery["reversed_at"] and recovery["reversed_reason"] == "Another cheque."
    assert (row["still_lost_cents"], off["amount_cents"]) == (0, LOST_CENTS)
    assert off["reason"] == "The court closed the case."


def test_a_bank_payment_is_taken_back_last() -> None:
    recovered(lost(), 60_000)
    by = staff_api(Role.SUPERVISOR)
    (row,) = by.get("office/cheques").json()["items"]
    paid = f"office/loss-entries/{row['bank_payment']['uuid']}/reversal"
    refused(by.post(paid, {"reason": "Mistake."}), 409, "loss_entries_stand")
    _taken_back(by, row["recoveries"][0]["uuid"])
    _taken_back(by, row["bank_payment"]["uuid"])
    (row,) = by.get("office/cheques").json()["items"]
    assert (row["bank_payment"], row["still_lost_cents"]) == (None, 0)


def _taken_back(by: Api, entry: str) -> None:
    path, why = f"office/loss-entries/{entry}/reversal", {"reason": "Another cheque."}
    unknown = "office/loss-entries/00000000-0000-0000-0000-000000000000/reversal"
    refused(by.post(unknown, why), 404, "loss_entry_unknown")
    assert by.post(path, {"reason": " "}).status_code == 422
    refused(staff_api(Role.AUDITOR).post(path, why), 403, "power_missing")
    proposed = by.post(path, why)
    assert proposed.status_code == 202
    refused(by.post(path, why), 409, "proposal_pending")
    assert paying.confirmed_over_api(proposed.json(), Role.ORGANISER).status_code == 200
    refused(by.post(path, why), 409, "loss_entry_reversed")


def _written_off(by: Api) -> None:
    path, off = "office/cheques/1/write-offs", {"reason": "The court closed the case."}
    refused(by.post(path, off | {"amount_cents": LOST_CENTS + 1}), 409, "write_off_amount_wrong")
    refused(
        by.post("office/cheques/9/write-offs", off | {"amount_cents": 1}), 404, "cheque_unknown"
    )
    refused(staff_api(Role.AUDITOR).post(path, off | {"amount_cents": 1}), 403, "power_missing")
    proposed = by.post(path, off | {"amount_cents": LOST_CENTS})
    assert proposed.status_code == 202
    refused(paying.confirmed_over_api(proposed.json(), Role.SUPERVISOR), 403, "power_missing")
    assert paying.confirmed_over_api(proposed.json(), Role.ORGANISER).status_code == 200

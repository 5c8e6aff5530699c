"""Read accounts and statements, and settle them, through the API."""

import uuid
from datetime import date
from typing import Any

import pytest

from core.staff.powers import Role
from core.statements import services
from tests.support import factories, paying, rounds
from tests.support.api import refused, staff_api, terminal_api
from tests.support.stating import SUNDAY, at

pytestmark = pytest.mark.django_db


def test_accounts_and_statements_through_the_api(organiser: Any, contest: Any) -> None:
    api, auditor = staff_api(Role.ORGANISER), staff_api(Role.AUDITOR)
    key = {"Idempotency_Key": "rate-0001"}
    body = {
        "game": "lototrot",
        "premises": None,
        "percent": "6",
        "in_force_from": "2030-03-04",
        "reference": "C",
    }
    proposed = api.post("commission-rates", body, **key)
    assert proposed.status_code == 202
    paying.confirmed_over_api(proposed.json(), Role.ORGANISER)
    refused(
        auditor.post("commission-rates", body, Idempotency_Key="rate-0002"), 403, "power_missing"
    )
    assert auditor.get("commission-rates").json()["items"][0]["percent"] == "6"
    place = factories.point()
    code = place.premises.code
    limit = {"limit_cents": 50, "reference": "Aval"}
    limits = f"premises/{code}/guarantee-limits"
    proposed = api.post(limits, limit, Idempotency_Key="limit-001")
    assert proposed.status_code == 202
    paying.confirmed_over_api(proposed.json(), Role.ORGANISER)
    assert auditor.get(limits).json()["items"][0]["limit_cents"] == 50
    rounds.sell(contest, place, [(1, 1)])
    account = auditor.get(f"premises/{code}/account").json()
    assert (account["balance_cents"], account["columns"]["sales"]) == (105, 105)
    assert (account["limit_cents"], account["left_cents"]) == (50, 0)
    assert terminal_api(place).get("terminal/account").json() == account
    at(date(2030, 3, 11))
    services.statements_issue(until=SUNDAY)
    api, auditor = staff_api(Role.ORGANISER), staff_api(Role.AUDITOR)
    (item,) = auditor.get("statements", premises=code).json()["items"]
    one = f"statements/{item['uuid']}"
    assert auditor.get(f"{one}.json").json()["commission"][0]["commission_cents"] == 6
    assert auditor.get(f"{one}.pdf", lang="en").content.startswith(b"%PDF")
    assert b"closing" in auditor.get(f"{one}.csv").content
    paid = {"amount_cents": 99, "paid_on": "2030-03-11", "reference": "TRF"}
    answer = api.post(f"{one}/remittances", paid, Idempotency_Key="paid-0001")
    assert (answer.status_code, answer.json()["proposal"]) == (201, None)
    assert auditor.get(f"{one}/remittances").json()["items"][0]["amount_cents"] == 99
    refused(auditor.get(f"statements/{uuid.uuid4()}.json"), 404, "statement_unknown")


def test_one_limit_is_proposed_for_many_premises(organiser: Any) -> None:
    api, auditor = staff_api(Role.ORGANISER), staff_api(Role.AUDITOR)
    codes = [factories.premises().code for _ in range(2)]
    body = {"premises": [*codes, "NO-1"], "limit_cents": 4_000, "reference": "Aval 3"}
    refused(auditor.post("guarantee-limits", body), 403, "power_missing")
    answer = api.post("guarantee-limits", body)
    assert answer.status_code == 201
    assert [row["premises"] for row in answer.json()["refused"]] == ["NO-1"]
    paying.confirmed_over_api(answer.json()["proposal"], Role.ORGANISER)
    for code in codes:
        newest = auditor.get(f"premises/{code}/guarantee-limits").json()["items"][0]
        assert (newest["limit_cents"], newest["reference"]) == (4_000, "Aval 3")
    again = refused(api.post("guarantee-limits", body), 409, "selection_refused")
    assert again["data"]["premises"][0]["detail"] == "These premises have this limit already."
    refused(
        api.post("guarantee-limits", {**body, "limit_cents": -1}), 422, "guarantee_limit_refused"
    )

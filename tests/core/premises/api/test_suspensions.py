"""Suspensions of sales: who suspends and resumes them, and what is refused."""

import pytest

from core.database import clock
from core.premises.models import Suspension
from core.staff.powers import Role
from tests.support import factories
from tests.support.api import Api, refused, staff_api

pytestmark = pytest.mark.django_db


def test_sales_are_suspended_and_resumed(organiser: Api, auditor: Api) -> None:
    point = factories.point()
    for body in (
        {"reason": "All."},
        {"reason": "One place.", "premises": point.premises.code},
        {"reason": "One machine.", "terminal": point.terminal.code},
    ):
        answer = organiser.post("suspensions", body)
        assert answer.status_code == 201
        assert answer.json()["lifted_at"] is None
    standing = auditor.get("suspensions").json()["items"]
    assert [(s["premises"], s["terminal"]) for s in standing] == [
        (None, None),
        (point.premises.code, None),
        (None, point.terminal.code),
    ]
    first = standing[0]["id"]
    assert organiser.post(f"suspensions/{first}/lifting").json()["lifted_at"]
    refused(organiser.post(f"suspensions/{first}/lifting"), 404, "suspension_unknown")
    assert len(auditor.get("suspensions").json()["items"]) == 2
    assert len(auditor.get("suspensions", in_force="false").json()["items"]) == 3


def test_suspensions_that_are_refused(organiser: Api, auditor: Api) -> None:
    point = factories.point()
    both = {"reason": "x", "premises": point.premises.code, "terminal": point.terminal.code}
    refused(organiser.post("suspensions", both), 422, "suspension_scope")
    for scope, code in (("premises", "premises_unknown"), ("terminal", "terminal_not_found")):
        refused(organiser.post("suspensions", {"reason": "x", scope: "NO-1"}), 404, code)
    refused(organiser.post("suspensions", {}), 422, "fields_invalid")
    refused(auditor.post("suspensions", {"reason": "x"}), 403, "power_missing")
    refused(auditor.post("suspensions/1/lifting"), 403, "power_missing")
    refused(organiser.post("suspensions/99999999999999999999/lifting"), 404, "route_unknown")
    refused(auditor.get("suspensions", in_force="perhaps"), 422, "fields_invalid")
    assert not Suspension.objects.exists()


def test_a_suspension_by_a_resolution_is_lifted_by_two(organiser: Api, auditor: Api) -> None:
    other_organiser, point = staff_api(Role.ORGANISER), factories.point()
    entered = {
        "effect": "sales_suspended",
        "terminal": point.terminal.code,
        "effective_at": clock.now().isoformat(),
        "reference": "DGJ 210/2026",
    }
    proposal = organiser.post("resolutions", entered).json()["proposal"]
    assert other_organiser.post(f"proposals/{proposal}/confirmation").status_code == 200
    (stop,) = auditor.get("suspensions").json()["items"]
    address = f"suspensions/{stop['id']}/lifting"
    refused(organiser.post(address), 409, "suspension_by_resolution")
    refused(auditor.post(f"{address}/proposals"), 403, "power_missing")
    answer = organiser.post(f"{address}/proposals")
    assert answer.status_code == 201
    refused(organiser.post(f"{address}/proposals"), 409, "proposal_pending")
    confirmation = f"proposals/{answer.json()['proposal']}/confirmation"
    refused(organiser.post(confirmation), 403, "same_person")
    assert other_organiser.post(confirmation).status_code == 200
    assert auditor.get("suspensions").json()["items"] == []
    refused(organiser.post(f"{address}/proposals"), 404, "suspension_unknown")


def test_many_premises_are_suspended_and_lifted_by_two(organiser: Api, auditor: Api) -> None:
    other_organiser = staff_api(Role.ORGANISER)
    codes = [factories.premises().code for _ in range(2)]
    body = {"premises": [*codes, "NO-1"], "reason": "Strike."}
    refused(auditor.post("suspensions/proposals", body), 403, "power_missing")
    answer = organiser.post("suspensions/proposals", body)
    assert answer.status_code == 201
    assert [row["code"] for row in answer.json()["refused"]] == ["premises_unknown"]
    address = f"proposals/{answer.json()['proposal']['proposal']}/confirmation"
    refused(organiser.post(address), 403, "same_person")
    assert other_organiser.post(address).status_code == 200
    standing = auditor.get("suspensions").json()["items"]
    assert [row["premises"] for row in standing] == codes
    none = organiser.post("suspensions/proposals", body)
    assert refused(none, 409, "selection_refused")["data"]["premises"][0]["premises"] == codes[0]
    answer = organiser.post("suspensions/liftings", {"premises": codes, "reason": "Over."})
    organiser.post(f"suspensions/{standing[0]['id']}/lifting")
    address = f"proposals/{answer.json()['proposal']['proposal']}/confirmation"
    changed = refused(other_organiser.post(address), 409, "premises_changed")
    assert [row["premises"] for row in changed["data"]["premises"]] == codes[:1]
    refused(
        organiser.post("suspensions/liftings", {**body, "premises": []}), 422, "selection_empty"
    )

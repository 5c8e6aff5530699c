"""Suspensions of sales: who suspends and resumes them, and what is refused."""

import pytest

from core.premises.models import Suspension
from tests.support import factories
from tests.support.api import Api, refused

pytestmark = pytest.mark.django_db


def test_sales_are_suspended_and_resumed(organiser: Api, auditor: Api) -> None:
    point = factories.point()
    for body in (
        {"reason": "All."},
        {"reason": "One place.", "premises": point.premises.code},
        {"reason": "One machine.", "terminal": point.terminal.code},
    ):
        made = organiser.post("suspensions", body)
        assert made.status_code == 201
        assert made.json()["lifted_at"] is None
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

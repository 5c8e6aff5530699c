"""List and decide tickets without a confirmed print through the API; each refusal has a code."""

from datetime import timedelta
from typing import Any

import pytest

from core.staff.powers import Role
from lototrot import tasks
from lototrot.models.contest import Contest
from lototrot.models.tickets import Unprinted, Void
from tests.support import factories
from tests.support.api import Api, refused, staff_api

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.II.1")]


def test_each_wrong_decision_is_refused_and_writes_nothing(organiser: Api) -> None:
    contest, point = factories.contest(), factories.point()
    lost = factories.sell(contest, point)
    path = f"lototrot/contests/{contest.pk}/unprinted"

    def decided(verdict: str = "void", **more: Any) -> Any:
        return organiser.post(f"{path}/decision", {"verdict": verdict, "reason": "Jam"} | more)

    refused(decided(), 409, "unprinted_not_now")
    factories.time_to(contest.scheduled_close_at)
    tasks.close(contest.pk)
    factories.time_to(contest.scheduled_close_at + timedelta(minutes=5))
    tasks.end_prints(contest.pk)
    refused(decided(), 409, "contest_not_sealed")
    tasks.seal(contest.pk)
    assert Contest.objects.get().code_secret is None
    refused(decided(reason=""), 422, "fields_invalid")
    refused(decided("torn"), 422, "fields_invalid")
    unknown = ["00000000-0000-4000-8000-000000000000"]
    refused(decided(tickets=unknown), 404, "unprinted_unknown")
    stewards = staff_api(Role.STEWARDS)
    body = {"verdict": "void", "reason": "x"}
    refused(stewards.post(f"{path}/decision", body), 403, "power_missing")
    refused(organiser.get("lototrot/contests/999999/unprinted"), 404, "contest_unknown")
    (row,) = stewards.get(path).json()["items"]
    assert (row["ticket"], row["confirmed_at"]) == (str(lost.uuid), None)
    assert row["late_at_terminal"] == 0
    assert decided().status_code == 201
    refused(decided("stand"), 409, "proposal_pending")
    assert not Void.objects.exists() and Unprinted.objects.get().verdict == ""

"""Close a month and read the closed ones through the API and the administration."""

from typing import Any

from core.longwork.models import LongWork
from core.longwork.services import work_do
from core.periods import long_work
from core.periods.models import ClosedPeriod
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from tests.core.periods.conftest import closed
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, confirm_pending, row_url
from tests.support.api import Api, refused, staff_api


def test_a_month_is_proposed_confirmed_and_read(contest: Contest) -> None:
    organiser, auditor = staff_api(Role.ORGANISER), staff_api(Role.AUDITOR)
    refused(auditor.post("periods/proposals", {}, Idempotency_Key="period-1"), 403, "power_missing")
    asked = organiser.post("periods/proposals", {}, Idempotency_Key="period-2")
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    other = staff_api(Role.ORGANISER).post("periods/proposals", {}, Idempotency_Key="period-3")
    assert other.json()["id"] == asked.json()["id"]
    assert not Proposal.objects.filter(kind="periods.closing").exists()
    proposed = _ended(organiser, asked.json()["id"])
    again = organiser.post("periods/proposals", {}, Idempotency_Key="period-4")
    refused(again, 409, "proposal_pending")
    confirmed = auditor.post(f"proposals/{proposed['proposal']}/confirmation")
    assert confirmed.json()["decision"] is None
    assert not ClosedPeriod.objects.exists()
    _ended(auditor, LongWork.objects.latest("pk").pk)
    (period,) = auditor.get("periods").json()["items"]
    assert (period["number"], period["first_day"]) == (1, "2030-03-01")
    assert period["document"]["transfers"]["count"] > 0


def _ended(api: Api, work: int) -> dict[str, Any]:
    """Do the work as a worker does; return its result as who asked for it reads it."""
    assert work_do(work)
    ended: dict[str, Any] = api.get(f"long-work/{work}").json()
    assert ended["state"] == "done", ended["fault"]
    return dict(ended["result"])


def test_what_is_not_finished_is_said_by_the_work_and_nothing_is_proposed(db: None) -> None:
    factories.time_to(rounds.NOON)
    settled = rounds.settled(factories.point())
    factories.time_pass(days=40)
    organiser = staff_api(Role.ORGANISER)
    work = organiser.post("periods/proposals", {}, Idempotency_Key="period-5").json()["id"]
    assert work_do(work)
    ended = organiser.get(f"long-work/{work}").json()
    assert (ended["state"], ended["fault"]) == ("failed", "period_unfinished")
    waits = {"lototrot": [{"code": "not_ordered", "contest": settled.pk}]}
    assert ended["fault_data"]["waits"] == waits
    assert not Proposal.objects.filter(kind="periods.closing").exists()


def test_a_month_that_was_closed_meanwhile_is_not_taken_for_the_next(contest: Contest) -> None:
    work = long_work.closing_ask(by=factories.staff(Role.ORGANISER))
    closed()
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.fault) == ("failed", "nothing_to_close")
    assert ClosedPeriod.objects.count() == 1
    assert Proposal.objects.filter(kind="periods.closing").count() == 1


def test_a_month_is_proposed_and_shown_in_the_administration(contest: Contest) -> None:
    desk = Desk(Role.ORGANISER)
    desk.do(ClosedPeriod, "close")
    assert work_do(LongWork.objects.get().pk)
    assert "Proposal to close a month" in desk.get(row_url(LongWork.objects.get()))
    assert Proposal.objects.filter(kind="periods.closing").count() == 1
    desk.refused(ClosedPeriod, "close", "proposal_pending")
    auditor = confirm_pending("periods.closing", Role.AUDITOR)
    assert not ClosedPeriod.objects.exists()
    assert work_do(LongWork.objects.latest("pk").pk)
    assert "2030-03" in auditor.get(row_url(ClosedPeriod.objects.get()))
    assert "2030-03" in desk.get(row_url(ClosedPeriod.objects.get()))

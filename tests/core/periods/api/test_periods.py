"""Close a month and read the closed ones through the API and the administration."""

from core.periods.models import ClosedPeriod
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from tests.support import paying
from tests.support.admin_desk import Desk, confirm_pending, row_url
from tests.support.api import refused, staff_api


def test_a_month_is_proposed_confirmed_and_read(contest: Contest) -> None:
    organiser, auditor = staff_api(Role.ORGANISER), staff_api(Role.AUDITOR)
    refused(auditor.post("periods/proposals", {}, Idempotency_Key="period-1"), 403, "power_missing")
    proposed = organiser.post("periods/proposals", {}, Idempotency_Key="period-2")
    assert proposed.status_code == 202
    again = organiser.post("periods/proposals", {}, Idempotency_Key="period-3")
    refused(again, 409, "proposal_pending")
    paying.confirmed_over_api(proposed.json(), Role.AUDITOR)
    (period,) = auditor.get("periods").json()["items"]
    assert (period["number"], period["first_day"]) == (1, "2030-03-01")
    assert period["document"]["transfers"]["count"] > 0


def test_a_month_is_proposed_and_shown_in_the_administration(contest: Contest) -> None:
    desk = Desk(Role.ORGANISER)
    desk.do(ClosedPeriod, "close")
    assert Proposal.objects.filter(kind="periods.closing").count() == 1
    desk.refused(ClosedPeriod, "close", "proposal_pending")
    confirm_pending("periods.closing", Role.AUDITOR)
    assert "2030-03" in desk.get(row_url(ClosedPeriod.objects.get()))

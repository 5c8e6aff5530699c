"""The organiser proposes on the page of a closed month to retire the rows of its archive."""

from pathlib import Path

from core.periods.archive.writing import archive_write
from core.periods.models import Archive, ClosedPeriod
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.core.periods.archive.conftest import own_month as own_month
from tests.support.admin_desk import Desk, row_url
from tests.support.api import refused, staff_api
from tests.support.journaling import seal_all


def test_rows_are_retired_from_the_page_of_their_month(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    organiser, desk = staff_api(Role.ORGANISER), Desk(Role.ORGANISER)
    address, kept = "periods/1/retirement/proposals", {"kept": "The safe."}
    refused(
        organiser.post(address, kept, Idempotency_Key="early-key-1"), 409, "period_not_archived"
    )
    archive_write(period=own_month, folder=tmp_path)
    seal_all()
    assert Archive.objects.get().sha256 in desk.get(row_url(own_month))
    desk.do(own_month, "retire", **kept)
    (proposal,) = Proposal.objects.filter(kind="periods.retirement")
    assert proposal.content["kept"] == "The safe."
    auditor = staff_api(Role.AUDITOR)
    refused(auditor.post(address, kept, Idempotency_Key="other-key-1"), 403, "power_missing")
    refused(organiser.post(address, kept, Idempotency_Key="again-key-1"), 409, "proposal_pending")

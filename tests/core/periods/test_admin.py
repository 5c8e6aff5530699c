"""The organiser proposes on the page of a closed month to retire the rows of its archive."""

from pathlib import Path
from typing import Any

import pytest

from core.longwork.models import LongWork
from core.longwork.services import work_do
from core.periods.archive import retiring
from core.periods.archive.writing import archive_write
from core.periods.models import Archive, ClosedPeriod, Retirement
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.core.periods.archive.conftest import own_month as own_month
from tests.support.admin_desk import Desk, row_url
from tests.support.api import Api, refused, staff_api
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
    _confirmed_by_a_worker(proposal, auditor)


def _confirmed_by_a_worker(proposal: Proposal, api: Api) -> None:
    """Confirm it on the page and through the API: it is one piece of work, and no request does it.

    What is not as archived is said, and retired by nobody.
    """
    desk = Desk(Role.AUDITOR)
    desk.do(proposal, "confirm")
    work = LongWork.objects.get()
    for _ in range(2):
        desk.do(proposal, "confirm")
    address = f"proposals/{proposal.uuid}/confirmation"
    assert api.post(address, {}).json()["decision"] is None
    assert not Retirement.objects.exists()
    by_api = LongWork.objects.exclude(pk=work.pk).get()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(retiring, "_need_as_archived", _differs)
        assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.fault) == ("failed", "rows_not_as_archived")
    assert not Retirement.objects.exists()
    assert work_do(by_api.pk)
    by_api.refresh_from_db()
    assert by_api.state == "done", by_api.fault
    assert Retirement.objects.get().proposal == proposal
    desk.refused(proposal, "confirm", "proposal_decided")


def _differs(table: Any, covered: Any, archive: Archive) -> None:
    raise retiring.RowsNotAsArchived(table=table.name)

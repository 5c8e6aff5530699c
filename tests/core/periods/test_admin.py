"""The organiser proposes on the page of a closed month to retire the rows of its archive."""

from pathlib import Path
from typing import Any

import pytest

from core.ledger.models import Transfer
from core.longwork.models import LongWork
from core.longwork.services import work_do
from core.periods.archive import retiring
from core.periods.archive.writing import archive_write
from core.periods.models import Archive, ClosedPeriod, Retirement
from core.receipts.formats import format_date
from core.staff.models import Proposal, User
from core.staff.powers import Role
from core.statements.models import Statement
from tests.core.periods.archive.conftest import own_month as own_month
from tests.core.periods.archive.conftest import retired
from tests.support import factories
from tests.support.admin_desk import Desk, list_url, row_url
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


def test_a_list_says_which_rows_of_what_is_asked_are_in_archives(
    own_month: ClosedPeriod, tmp_path: Path
) -> None:
    url, until = list_url(Transfer), f"{format_date(own_month.last_day, 'en')} were retired"
    auditor = User.objects.get(pk=factories.staff(Role.AUDITOR).user_id)
    desk = Desk(person=auditor)
    assert "were retired" not in desk.get(url, q="premises")
    retired(own_month, tmp_path)
    for asked in ({"at.from": "2030-03-31"}, {"at.to": "2031-01-01"}, {"q": "premises"}):
        assert until in desk.get(url, **asked), asked
    # Nothing of what is asked can be there; nothing is asked; a table of which no row leaves.
    for page, asked in (
        (url, {"at.from": "2030-04-01"}),
        (url, {}),
        (list_url(Statement), {"week_to.from": "2030-01-01"}),
    ):
        assert "were retired" not in desk.get(page, **asked), asked
    for language, words in (("ca", "es van retirar"), ("es", "se retiraron")):
        assert words in Desk(person=auditor, language=language).get(url, q="premises")


def _differs(table: Any, covered: Any, archive: Archive) -> None:
    raise retiring.RowsNotAsArchived(table=table.name)

"""Write the file of a report that takes too long to read for a request, and keep it."""

import pytest

from core.longwork.models import LongWork
from core.longwork.services import work_do
from core.looks.models import Look
from core.staff.powers import Role
from tests.support.admin_desk import Desk, row_url

pytestmark = pytest.mark.django_db


def test_a_report_that_takes_too_long_is_written_by_a_worker(
    slow: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, days = Desk(Role.AUDITOR), "?first=2030-03-01&last=2030-03-31"
    address = f"/admin/reports/sales-by-day.csv{days}"
    assert address.replace("&", "&amp;") in desk.get(f"/admin/reports/sales-by-day/{days}")
    assert b"Have the file written" in desk.client.get(address).content
    monkeypatch.undo()
    looks = Look.objects.count()
    asked = desk.client.post(address)
    work = LongWork.objects.get()
    assert asked["Location"] == row_url(work)
    assert "01/03/2030 – 31/03/2030 · CSV" in desk.get(row_url(work))
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.file_name) == ("done", "sales-by-day-2030-03-01-2030-03-31.csv")
    assert bytes(work.parts.get().content).startswith(b"day,")
    assert [look.kind for look in Look.objects.order_by("pk")[looks:]] == ["export", "report"]
    assert Desk(Role.CASHIER).client.post(address).status_code == 403
    assert desk.client.post("/admin/reports/nothing.csv").status_code == 404
    wrong = "/admin/reports/sales-by-day.csv?first=2030-03-02&last=2030-03-01"
    assert desk.client.post(wrong).status_code == 409
    assert LongWork.objects.count() == 1

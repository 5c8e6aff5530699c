"""Long work on its page: how far it is, what came of it, and its file for who asked alone."""

import io

import pytest
from django.urls import reverse

from core.database import clock
from core.longwork.kinds import File, Outcome
from core.longwork.models import LongWork
from core.longwork.services import work_ask, work_do
from core.looks.models import Look
from core.staff.powers import Role
from tests.core.longwork.conftest import OWN, Bench
from tests.support import factories
from tests.support.admin_desk import Desk, list_url, row_url

pytestmark = pytest.mark.django_db


def _asked(desk: Desk, **content: str) -> LongWork:
    by = factories.signed_on(desk.person)
    return work_ask(kind=OWN, by=by, content=dict(content))


def test_the_page_tells_how_far_it_is_until_it_has_ended(bench: Bench) -> None:
    desk = Desk(Role.ORGANISER)
    work = _asked(desk, about="Of March")
    address = reverse("admin:longwork_longwork_progress", args=[work.pk])
    page = desk.get(row_url(work))
    assert "Work of a test" in page and "Of March" in page
    assert f'data-again="{address}"' in page
    assert "data-goes-on" in desk.get(address)
    rows = LongWork.objects.filter(pk=work.pk)
    progress = {"step": "two", "number": 2, "steps": 4, "done": 1_500, "total": 3_000}
    rows.update(state="running", started_at=clock.now(), **progress)
    part = desk.get(address)
    assert "Step 2 of 4" in part and "TWO" in part
    assert 'value="37"' in part and "1,500 of 3,000" in part
    rows.update(state="failed", ended_at=clock.now(), fault="night_running", fault_says="Busy.")
    assert "data-goes-on" not in desk.get(address)
    page = desk.get(row_url(work))
    assert "data-again" not in page
    assert "Busy." in page and "night_running" in page


def test_a_file_goes_to_who_asked_and_is_on_record(bench: Bench) -> None:
    content = b"a\r\n" * 3
    bench.does = lambda asked: Outcome(file=File(io.BytesIO(content), "list.csv", "text/csv"))
    desk, auditor, other = Desk(Role.ORGANISER), Desk(Role.AUDITOR), Desk(Role.ORGANISER)
    work = _asked(desk)
    work_do(work.pk)
    address = reverse("admin:longwork_longwork_file", args=[work.pk])
    assert f'href="{address}"' in desk.get(row_url(work))
    for stranger in (auditor, other, Desk(Role.CASHIER)):
        assert stranger.client.get(address).status_code == 404
    assert f'href="{address}"' not in auditor.get(row_url(work))
    assert other.client.get(row_url(work)).status_code in (302, 404)
    looks = Look.objects.count()
    answer = desk.client.get(address)
    assert answer.getvalue() == content
    assert answer["Content-Disposition"] == 'attachment; filename="list.csv"'
    assert "no-store" in answer["Cache-Control"]
    look = Look.objects.latest("pk")
    assert Look.objects.count() == looks + 1
    assert (look.kind, look.subject, look.user) == ("export", f"longwork:{work.pk}", desk.person)


def test_only_its_people_see_the_list(bench: Bench) -> None:
    desk = Desk(Role.ORGANISER)
    work = _asked(desk, about="Of April")
    assert row_url(work) in desk.get(list_url(LongWork))
    assert row_url(work) in Desk(Role.INSPECTOR).get(list_url(LongWork))
    assert row_url(work) not in Desk(Role.SUPERVISOR).get(list_url(LongWork))
    assert Desk(Role.CASHIER).client.get(list_url(LongWork)).status_code == 403
    address = reverse("admin:longwork_longwork_progress", args=[work.pk])
    assert Desk(Role.SUPERVISOR).client.get(address).status_code == 404

"""The database keeps long work whole: its states, its faults, its file."""

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.longwork.models import FilePart, LongWork
from core.longwork.services import work_ask, work_do
from core.staff.powers import Role
from tests.core.longwork.conftest import OWN, Bench
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_no_state_is_skipped_and_none_is_gone_back_to(bench: Bench) -> None:
    work = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    rows, now = LongWork.objects.filter(pk=work.pk), clock.now()
    ended = {"state": "done", "started_at": now, "ended_at": now}
    wrong: list[dict[str, object]] = [ended, {"state": "running"}, {"fault": "x"}, {"kind": "y"}]
    work_do(work.pk)
    wrong += [{"state": "waiting"}, {"state": "running"}, {"state": "failed", "fault": "x"}]
    wrong += [{"file_name": "a.csv"}, {"kept_until": now.date()}]
    for change in wrong[3:]:
        with pytest.raises(DatabaseError), transaction.atomic():
            rows.update(**change)
    other = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    for change in wrong[:3]:
        with pytest.raises(DatabaseError), transaction.atomic():
            LongWork.objects.filter(pk=other.pk).update(**change)


def test_a_row_is_named_and_never_deleted(bench: Bench) -> None:
    work = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    part = FilePart.objects.create(work=work, number=1, content=b"a")
    assert (str(work), str(part)) == (f"{OWN} {work.pk}", f"{OWN} {work.pk} · 1")
    assert work.is_open and not work.has_file
    for row in (part, work):
        with pytest.raises(DatabaseError), transaction.atomic():
            row.delete()

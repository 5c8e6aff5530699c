"""Long work is done once, as who asked for it, and says what came of it or what went wrong."""

import io
from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.journal import acting
from core.kernel.days import natural_day
from core.kernel.errors import Conflict
from core.longwork import nightly, services
from core.longwork.kinds import File, Outcome, WorkUnknown
from core.longwork.models import FilePart, LongWork
from core.longwork.services import work_ask, work_do, work_file, work_files_purge
from core.staff.actor import PowerMissing
from core.staff.models import StaffSession, User
from core.staff.powers import Role
from tests.core.longwork.conftest import OWN, SHARED, Bench
from tests.support import factories

pytestmark = pytest.mark.django_db


class NotToday(Conflict):
    code = "not_today"
    message = "Not today."


def _file(content: dict[str, object]) -> Outcome:
    return Outcome({"rows": 2}, File(io.BytesIO(b"a;b\r\n1;2\r\n"), "list.csv", "text/csv"))


def test_who_may_not_gets_none_neither_now_nor_when_it_begins(bench: Bench) -> None:
    with pytest.raises(PowerMissing):
        work_ask(kind=SHARED, by=factories.staff(Role.CASHIER))
    with pytest.raises(WorkUnknown):
        work_ask(kind="nothing", by=factories.staff(Role.ORGANISER))
    by = factories.staff(Role.ORGANISER)
    lost, closed = work_ask(kind=OWN, by=by), work_ask(kind=SHARED, by=by)
    User.objects.filter(pk=by.user_id).update(roles=[Role.STEWARDS])
    assert work_do(lost.pk)
    User.objects.filter(pk=by.user_id).update(roles=[Role.ORGANISER], is_active=False)
    assert work_do(closed.pk)
    for work in (lost, closed):
        work.refresh_from_db()
    assert (lost.state, lost.fault) == ("failed", "power_missing")
    assert (closed.state, closed.fault) == ("failed", "session_expired")
    assert bench.done_for == []


def test_the_same_work_is_open_once(bench: Bench) -> None:
    one, other = factories.staff(Role.ORGANISER), factories.staff(Role.SUPERVISOR)
    assert work_ask(kind=SHARED, by=one) == work_ask(kind=SHARED, by=other)
    assert work_ask(kind=SHARED, by=one) != work_ask(kind=SHARED, by=one, content={"of": 1})
    assert work_ask(kind=OWN, by=one) == work_ask(kind=OWN, by=one)
    assert work_ask(kind=OWN, by=one) != work_ask(kind=OWN, by=other)
    first = work_ask(kind=SHARED, by=one)
    assert (work_do(first.pk), work_do(first.pk)) == (True, False)
    assert work_ask(kind=SHARED, by=one) != first
    with pytest.raises(DatabaseError), transaction.atomic():
        LongWork.objects.create(
            kind=SHARED,
            key=work_ask(kind=SHARED, by=one).key,
            asked_by_id=one.user_id,
            asked_in_id=one.session_id,
            asked_at=clock.now(),
            language="ca",
            state="waiting",
        )


def test_it_is_done_as_who_asked_though_they_signed_off(bench: Bench) -> None:
    acts = []

    def does(content: dict[str, object]) -> Outcome:
        acts.append(acting.present())
        return Outcome({"rows": 3})

    bench.does = does
    by = factories.staff(Role.ORGANISER)
    work = work_ask(kind=OWN, by=by)
    StaffSession.objects.filter(pk=by.session_id).update(ended_at=clock.now())
    factories.time_pass(hours=9)
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.result, bench.done_for) == ("done", {"rows": 3}, [by.user_id])
    (act,) = acts
    assert (act.name, act.staff, act.staff_session) == (
        f"longwork:{OWN}",
        by.user_id,
        by.session_id,
    )


@pytest.mark.parametrize(
    ("raised", "fault", "says", "data"),
    [
        (NotToday(day="2030-03-01"), "not_today", "Not today.", {"day": "2030-03-01"}),
        (ZeroDivisionError("1/0"), services.UNEXPECTED, "ZeroDivisionError", {}),
    ],
)
def test_a_fault_is_said_and_it_can_be_asked_again(
    bench: Bench, raised: Exception, fault: str, says: str, data: dict[str, str]
) -> None:
    def fails(content: dict[str, object]) -> Outcome:
        raise raised

    bench.does = fails
    by = factories.staff(Role.ORGANISER)
    work = work_ask(kind=OWN, by=by)
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.fault, work.fault_says, work.fault_data) == (
        "failed",
        fault,
        says,
        data,
    )
    assert work.ended_at is not None
    assert work_ask(kind=OWN, by=by) != work


def test_work_that_was_called_cut_off_leaves_no_file_behind(bench: Bench) -> None:
    """Its session was lost with the server: nobody may have its file, so nobody would erase it."""

    def lost(content: dict[str, object]) -> Outcome:
        LongWork.objects.update(state="cut_off", fault=services.CUT_OFF, ended_at=clock.now())
        return _file(content)

    bench.does = lost
    work = work_ask(kind=OWN, by=factories.staff(Role.ORGANISER))
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.file_name) == ("cut_off", "")
    assert not FilePart.objects.exists()


def test_a_file_is_kept_for_its_time_and_then_only_that_it_was(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "PART_BYTES", 4)
    bench.does = _file
    by, other = factories.staff(Role.ORGANISER), factories.staff(Role.AUDITOR)
    work = work_ask(kind=OWN, by=by)
    with pytest.raises(WorkUnknown):
        work_file(by=by, pk=work.pk)
    work_do(work.pk)
    kept = work_file(by=by, pk=work.pk)
    assert b"".join(bytes(part.content) for part in kept.parts.order_by("number")) == (
        b"a;b\r\n1;2\r\n"
    )
    assert (kept.file_name, kept.file_bytes, kept.parts.count()) == ("list.csv", 10, 3)
    with pytest.raises(WorkUnknown):  # an auditor sees that it was, and has no file of others
        work_file(by=other, pk=work.pk)
    assert kept.kept_until is not None
    assert work_files_purge(kept.kept_until) == 0
    factories.time_pass(days=8)
    day = natural_day(clock.now()) - timedelta(days=1)
    assert dict(nightly.purge(day).counts) == {"files": 1}
    assert dict(nightly.purge(day).counts) == {"files": 0}
    assert {bytes(part.content) for part in FilePart.objects.all()} == {b""}
    kept.refresh_from_db()
    assert kept.gone_at is not None and kept.file_sha256
    with pytest.raises(WorkUnknown):
        work_file(by=by, pk=work.pk)

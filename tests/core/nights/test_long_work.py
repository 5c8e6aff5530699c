"""A night and an audit of all of the past are asked for, done once, and say what they found."""

import pytest

from core.longwork.models import LongWork
from core.longwork.services import work_do
from core.nights import long_work
from core.nights.jobs import Job, Outcome
from core.nights.models import JobRun
from core.nights.nightly import JournalDiffers
from core.staff.powers import Role
from tests.support.admin_desk import Desk, row_url

pytestmark = pytest.mark.django_db


def asked(desk: Desk, act: str, **typed: object) -> list[LongWork]:
    """Do an act of the list, which asks for long work, and return all that is open."""
    answer = desk.do(JobRun, act, **typed)
    work = list(LongWork.objects.filter(state__in=LongWork.OPEN))
    assert answer["Location"] in [row_url(each) for each in work]
    return work


def test_a_night_asked_for_twice_is_one_and_says_which_job_failed(own_jobs: list[Job]) -> None:
    own_jobs += [
        Job(name="a", title="Balances", order=1, run=lambda day: Outcome()),
        Job(name="b", title="Books", order=2, run=lambda day: Outcome({"n": 1 // 0})),
    ]
    organiser, supervisor = Desk(Role.ORGANISER), Desk(Role.SUPERVISOR)
    (work,) = asked(organiser, "run")
    assert asked(supervisor, "run") == [work]
    assert not JobRun.objects.exists()
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.fault) == ("failed", "night_jobs_failed")
    assert work.fault_data["done"] == 1
    assert "ZeroDivisionError" in organiser.get(row_url(work))
    del own_jobs[1]
    (again,) = asked(organiser, "run")
    assert work_do(again.pk)
    again.refresh_from_db()
    assert again.state == "done"


def test_an_audit_of_all_of_the_past_is_asked_for_and_says_what_differs(
    own_jobs: list[Job],
) -> None:
    def differs() -> Outcome:
        raise JournalDiffers(findings=["a row is gone"])

    plain = {"order": 1, "run": lambda day: Outcome()}
    own_jobs += [
        Job(name="a", title="Balances", everything=lambda: Outcome({"accounts": 7}), **plain),
        Job(name="b", title="Rows", everything=differs, **plain),
        Job(name="c", title="Nothing", **plain),
    ]
    auditor = Desk(Role.AUDITOR)
    (work,) = asked(auditor, "audit", audits=["a"])
    assert work_do(work.pk)
    work.refresh_from_db()
    assert (work.state, work.result) == ("done", {"a": {"accounts": 7}})
    (everything,) = asked(auditor, "audit")
    assert everything.content == {"audits": ["a", "b"]}
    assert work_do(everything.pk)
    everything.refresh_from_db()
    assert (everything.state, everything.fault) == ("failed", "audit_differs")
    assert everything.fault_data["sound"] == ["a"]
    assert "a row is gone" in auditor.get(row_url(everything))
    assert "Rows" in auditor.get(row_url(everything))
    assert not Desk(Role.SUPERVISOR).offers(JobRun, "audit")


def test_no_other_audit_is_asked_for(own_jobs: list[Job]) -> None:
    with pytest.raises(long_work.NoAudit):
        long_work.audit_content(["a"])

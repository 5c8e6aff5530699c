"""List the long work of the nights: what is due now, and audits of all of the past."""

import datetime
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.database.reading import progress
from core.database.reading.limits import limited
from core.database.reading.standby import read_much
from core.kernel.errors import Conflict, InvariantBroken
from core.longwork.kinds import Content, Outcome, WorkKind
from core.longwork.models import LongWork
from core.longwork.services import work_ask
from core.nights import jobs, powers
from core.nights.models import JobRun
from core.nights.services import need_runnable, night_request
from core.staff.actor import StaffActor

NIGHT, AUDIT = "nights.run", "nights.audit"


class JobsFailed(InvariantBroken):
    """Some jobs failed. `data["jobs"]` lists job, day and error."""

    code = "night_jobs_failed"
    message = "Some jobs failed; the others are done."


class AuditDiffers(InvariantBroken):
    """Some audits found differences. `data["audits"]` lists audit, code and what it found."""

    code = "audit_differs"
    message = "What is stored differs from what was computed again."


class NoAudit(Conflict):
    code = "no_audit"
    message = "There is no such audit."


def audits() -> dict[str, jobs.Job]:
    """Return the jobs that can examine all of the past at once, by name, in order."""
    return {job.name: job for job in jobs.all_jobs() if job.everything}


def audit_content(names: Sequence[str]) -> Content:
    """Return the content of an audit of those names, of all without any. Raises NoAudit."""
    unknown = set(names) - set(audits())
    if unknown:
        raise NoAudit(audits=sorted(unknown))
    return {"audits": sorted(set(names) or audits())}


def title_of(name: str) -> str:
    """Return a job's title, or its name if no app has the job any more."""
    titles = {job.name: str(job.title) for job in jobs.all_jobs()}
    return titles.get(name, name)


def night_ask(*, by: StaffActor, until: datetime.date | None = None) -> LongWork:
    """Ask for what is due up to a day (default: the newest ended day) to be run by a worker.

    Raises PowerMissing, ClockUnsound, DayNotOver, WorkBusy.
    """
    by.need(powers.RUN)
    need_runnable(until)
    content = {"until": until.isoformat()} if until else {}
    return work_ask(kind=NIGHT, by=by, content=content)


def _until(content: Content) -> datetime.date | None:
    return datetime.date.fromisoformat(content["until"]) if "until" in content else None


def _about(content: Content) -> str:
    until = _until(content)
    return gettext("up to %(day)s") % {"day": until.strftime("%d/%m/%Y")} if until else ""


def _night(by: StaffActor, content: Content) -> Outcome:
    runs = night_request(by=by, until=_until(content))
    failed = [run for run in runs if run.state != JobRun.State.DONE]
    if failed:
        named = [{"job": r.job, "day": r.day.isoformat(), "error": r.error[:200]} for r in failed]
        raise JobsFailed(done=len(runs) - len(failed), jobs=named)
    return Outcome({"jobs": len(runs)})


def _audit(by: StaffActor, content: Content) -> Outcome:
    """Do the audits one after the other, all of them, and say what each found."""
    audit_by_name, wanted = audits(), content["audits"]
    counts: dict[str, Any] = {}
    differing = []
    for number, name in enumerate(wanted, start=1):
        progress.step(name, number, len(wanted))
        examine = audit_by_name[name].everything
        assert examine is not None  # noqa: S101  (or it is no audit)
        try:
            outcome = read_much(limited(settings.NIGHT_LIMIT_S)(examine))
        except InvariantBroken as error:
            differing.append({"job": name, "code": error.code, "found": error.data})
        else:
            counts[name] = dict(outcome.counts)
    if differing:
        raise AuditDiffers(audits=differing, sound=sorted(counts))
    return Outcome(counts)


KINDS: tuple[WorkKind, ...] = (
    WorkKind(
        name=NIGHT,
        title=_("A night: what is due now"),
        power=powers.RUN,
        run=_night,
        about=_about,
        step_title=title_of,
    ),
    WorkKind(
        name=AUDIT,
        title=_("Audit of all of the past"),
        power=powers.AUDIT,
        run=_audit,
        about=lambda content: ", ".join(title_of(name) for name in content["audits"]),
        step_title=title_of,
    ),
)

"""Show the nightly jobs: what was done, what failed, and what is still to do."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation, signed_on
from core.admin_support.acts import Act, Done
from core.admin_support.columns import day, link, tag
from core.admin_support.contents import Table
from core.admin_support.documents import as_html
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.nights import jobs, powers
from core.nights.models import JobFailure, JobRun
from core.nights.selectors import Due, undone
from core.nights.services import night_request
from core.staff.actor import StaffActor


def _run(by: StaffActor, target: Any, data: dict[str, Any]) -> Done:
    runs = night_request(by=by)
    text = ngettext("%(n)s job was run.", "%(n)s jobs were run.", len(runs)) % {"n": len(runs)}
    return Done(text)


RUN_NOW = Act(
    name="run",
    title=_("Run what is due now"),
    power=powers.RUN,
    run=_run,
    icon="bedtime",
    atomic=False,
    text=_("Runs every job that ended days have left undone. What is done stays as it is."),
)


def title_of(name: str) -> str:
    """Return a job's title, or its name if no app has the job any more."""
    titles = {job.name: str(job.title) for job in jobs.all_jobs()}
    return titles.get(name, name)


class _Failures(ReadOnlyInline):
    model = JobFailure
    shown = ("attempt", "started_at", "failed_at", "error")


@admin.register(JobRun)
class JobRunAdmin(ReadOnlyAdmin):
    columns = ("day", "title", "state", "attempts", "started_at", "length")
    shown = (
        "day",
        "title",
        "job",
        "state",
        "attempts",
        "started_at",
        "ended_at",
        "length",
        "error",
        "did",
        "lists",
    )
    list_filter = ("state", "job")
    date_hierarchy = None
    ordering = ("-day", "pk")
    read_power = powers.READ
    inlines = (_Failures,)
    list_acts = (RUN_NOW,)

    @admin.display(description=_("title"))
    def title(self, row: JobRun) -> str:
        return title_of(row.job)

    @admin.display(description=_("seconds"))
    def length(self, row: JobRun) -> str:
        return f"{(row.ended_at - row.started_at).total_seconds():.1f}" if row.ended_at else "–"

    @admin.display(description=_("what it did"))
    def did(self, row: JobRun) -> Any:
        return as_html(row.counts)

    @admin.display(description=_("to be looked at"))
    def lists(self, row: JobRun) -> Any:
        return as_html(row.listed)


def _standing(due: Due) -> Any:
    if due.failed:
        return tag("failed", gettext("Failed"))
    if due.missed:
        return tag("failed", gettext("Missed"))
    return tag("draft", gettext("Due"))


def undone_panel(request: HttpRequest) -> Table | None:
    if not signed_on.may(request, powers.READ):
        return None
    rows = [
        (
            day(due.day),
            link(due.run, due.job.title) if due.run else str(due.job.title),
            _standing(due),
            due.run.error[:200] if due.run else "",
        )
        for due in undone()[:20]
    ]
    return Table(
        title=_("Nights: jobs not done"),
        icon="bedtime",
        headers=(_("day"), _("job"), _("state"), _("what went wrong")),
        rows=rows,
        empty=_("Every job of every day that has ended is done."),
        link=navigation.changelist_url(JobRun),
    )

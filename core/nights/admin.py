"""Show the nightly jobs: what was done, what failed, and what is still to do."""

from typing import Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from core.admin_support.acts import Act, Done
from core.admin_support.documents import as_html
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.nights import jobs, powers
from core.nights.models import JobFailure, JobRun
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

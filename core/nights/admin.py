"""Show the nightly jobs: what was done, what failed, and what is still to do."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act, Done
from core.admin_support.documents import as_html
from core.admin_support.forms import ActForm
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.longwork.services import work_ask
from core.nights import powers
from core.nights.long_work import AUDIT, audit_content, audits, night_ask, title_of
from core.nights.models import JobFailure, JobRun
from core.staff.actor import StaffActor


def _run(by: StaffActor, target: Any, data: dict[str, Any]) -> Done:
    return Done(_("It is handed to a worker."), row=night_ask(by=by))


RUN_NOW = Act(
    name="run",
    title=_("Run what is due now"),
    power=powers.RUN,
    run=_run,
    icon="bedtime",
    text=_("Runs every job that ended days have left undone. What is done stays as it is."),
)


class _Audits(ActForm):
    audits = forms.MultipleChoiceField(
        label=_("Audits"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Without any, all of them."),
    )

    def build(self) -> None:
        chosen: Any = self.fields["audits"]
        chosen.choices = [(name, job.title) for name, job in audits().items()]


def _audit(by: StaffActor, target: Any, data: dict[str, Any]) -> Done:
    work = work_ask(kind=AUDIT, by=by, content=audit_content(data["audits"]))
    return Done(_("It is handed to a worker."), row=work)


AUDIT_NOW = Act(
    name="audit",
    title=_("Audit all of the past"),
    power=powers.AUDIT,
    run=_audit,
    form=_Audits,
    icon="fact_check",
    review=False,
    text=_(
        "Counts everything again from what happened: balances, settlements, seals, statements,"
        " closed months, and every row of the journal. It only reads, and takes long."
    ),
)


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
    list_acts = (RUN_NOW, AUDIT_NOW)

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

"""Store the nightly work: a row for each job and day, and a row for each failure."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key


class JobRun(Guarded):
    """A job's work for a day that has ended. Once done, it is never done again.

    `counts` has numbers by name; `listed` has lists of rows by name for a person to look at. If a
    row is `running` and no process holds the nights' lock, the run was interrupted and is started
    again.
    """

    class State(models.TextChoices):
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    mutable = ("state", "attempts", "started_at", "ended_at", "counts", "listed", "error")
    transitions = {"running": ("done", "failed"), "failed": ("running",)}

    job = models.CharField(_("job"), max_length=60)
    day = models.DateField(_("day"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices)
    attempts = models.PositiveIntegerField(_("attempts"), default=1)
    started_at = models.DateTimeField(_("started at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)
    counts = models.JSONField(_("what it did"), default=dict)
    listed = models.JSONField(_("to be looked at"), default=dict)
    error = models.TextField(_("what went wrong"), blank=True)

    class Meta:
        verbose_name = _("night's job")
        verbose_name_plural = _("nights' jobs")
        constraints = [
            models.UniqueConstraint(fields=["job", "day"], name="job_run_once"),
            models.CheckConstraint(condition=Q(attempts__gte=1), name="job_run_attempts"),
            models.CheckConstraint(
                condition=Q(state="running", ended_at=None, error="")
                | Q(state="done", ended_at__isnull=False, ended_at__gte=F("started_at"), error="")
                | Q(state="failed", ended_at__isnull=False, ended_at__gte=F("started_at"))
                & ~Q(error=""),
                name="job_run_whole",
            ),
        ]
        indexes = [
            models.Index(fields=["job", "day"], condition=~Q(state="done"), name="job_run_not_done")
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.job}"


class JobFailure(Guarded):
    """A failed attempt at a job. It stays when a later attempt succeeds."""

    run = foreign_key(JobRun, _("night's job"), related_name="failures", db_index=False)
    attempt = models.PositiveIntegerField(_("attempt"))
    started_at = models.DateTimeField(_("started at"))
    failed_at = models.DateTimeField(_("failed at"))
    error = models.TextField(_("what went wrong"))

    class Meta:
        verbose_name = _("failure of a night's job")
        verbose_name_plural = _("failures of nights' jobs")
        constraints = [
            models.UniqueConstraint(fields=["run", "attempt"], name="job_failure_once"),
            models.CheckConstraint(condition=~Q(error=""), name="job_failure_says_why"),
        ]

    def __str__(self) -> str:
        return f"{self.run} · {self.attempt}"

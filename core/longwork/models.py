"""Store long work: who asked for it, its progress and its result."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key
from core.staff.models import StaffSession, User


class LongWork(Guarded):
    """A piece of work that a person asked for and a worker does, outside the request.

    `content` says what exactly; `key` is its digest, so that the same work is open once. `step`,
    `number`, `steps`, `done` and `total` tell how far it has come
    (`core.database.reading.progress`). One that is `running` while no session holds its lock was
    cut off. `result` has numbers by name;
    `fault` is the code of what went wrong, with an English sentence and its data. A file is kept
    until `kept_until`; then its content goes, and what it was stays on record.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting for a worker")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CUT_OFF = "cut_off", _("Cut off")

    OPEN = (State.WAITING, State.RUNNING)

    mutable = (
        *("state", "sent_at", "started_at", "ended_at", "step", "number", "steps", "done"),
        *("total", "result", "fault", "fault_says", "fault_data"),
        *("file_name", "file_type", "file_bytes", "file_sha256", "kept_until", "gone_at"),
    )
    derived = ("sent_at", "step", "number", "steps", "done", "total")
    transitions = {"waiting": ("running",), "running": ("done", "failed", "cut_off")}

    kind = models.CharField(_("work"), max_length=60)
    content = models.JSONField(_("content"), default=dict)
    key = models.CharField(_("digest"), max_length=64)
    asked_by = foreign_key(User, _("asked for by"), db_index=False)
    asked_in = foreign_key(StaffSession, _("session"), db_index=False)
    asked_at = models.DateTimeField(_("asked for at"))
    language = models.CharField(_("language"), max_length=2)
    state = models.CharField(_("state"), max_length=10, choices=State.choices)
    sent_at = models.DateTimeField(_("sent to a worker at"), null=True)
    started_at = models.DateTimeField(_("started at"), null=True)
    ended_at = models.DateTimeField(_("ended at"), null=True)
    step = models.CharField(_("step"), max_length=120, blank=True)
    number = models.PositiveIntegerField(_("number"), default=0)
    steps = models.PositiveIntegerField(_("steps"), default=0)
    done = models.BigIntegerField(_("done"), default=0)
    total = models.BigIntegerField(_("total"), default=0)
    result = models.JSONField(_("what it did"), default=dict)
    fault = models.CharField(_("what went wrong"), max_length=60, blank=True)
    fault_says = models.TextField(_("what went wrong"), blank=True)
    fault_data = models.JSONField(_("details"), default=dict)
    file_name = models.CharField(_("file"), max_length=120, blank=True)
    file_type = models.CharField(_("type of the file"), max_length=100, blank=True)
    file_bytes = models.BigIntegerField(_("bytes"), default=0)
    file_sha256 = models.CharField(_("digest of the file"), max_length=64, blank=True)
    kept_until = models.DateField(_("kept until"), null=True)
    gone_at = models.DateTimeField(_("gone at"), null=True)

    class Meta:
        verbose_name = _("long work")
        verbose_name_plural = _("long work")
        constraints = [
            models.UniqueConstraint(
                fields=["key"], condition=Q(state__in=("waiting", "running")), name="long_work_once"
            ),
            models.CheckConstraint(
                condition=Q(state__in=("waiting", "running"), ended_at=None, fault="")
                | Q(state="done", ended_at__gte=F("started_at"), fault="")
                | Q(state__in=("failed", "cut_off"), ended_at__gte=F("started_at")) & ~Q(fault=""),
                name="long_work_whole",
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", started_at=None)
                | ~Q(state="waiting") & Q(started_at__isnull=False),
                name="long_work_started",
            ),
            models.CheckConstraint(
                condition=Q(file_name="", kept_until=None, gone_at=None)
                | Q(state="done", kept_until__isnull=False) & ~Q(file_name=""),
                name="long_work_file_kept",
            ),
        ]
        indexes = [
            models.Index(fields=["asked_by", "-id"], name="long_work_of_person"),
            models.Index(
                fields=["kept_until"],
                condition=Q(kept_until__isnull=False, gone_at=None),
                name="long_work_file_there",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def has_file(self) -> bool:
        """Return whether the file can still be downloaded."""
        return bool(self.file_name) and self.gone_at is None


class FilePart(Guarded):
    """A part of the file of a piece of work, by number from 1. Empty once its time is over."""

    mutable = ("content",)

    work = foreign_key(LongWork, _("long work"), related_name="parts", db_index=False)
    number = models.PositiveIntegerField(_("number"))
    content = models.BinaryField()

    class Meta:
        verbose_name = _("part of a file")
        verbose_name_plural = _("parts of files")
        constraints = [models.UniqueConstraint(fields=["work", "number"], name="file_part_once")]

    def __str__(self) -> str:
        return f"{self.work} · {self.number}"

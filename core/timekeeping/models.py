"""Store comparisons of the server's clock with its references, and its incidents."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded


class Reading(Guarded):
    """The newest comparison of the server's clock with one reference.

    `ahead_us` is the server's clock less the reference in microseconds; `uncertainty_us` is how far
    that can be wrong. `own_machine` says that the reference is the clock of the machine on which
    the database runs. `measured_at` is of the server's clock, without the simulated offset.
    """

    class Kind(models.TextChoices):
        MACHINE = "machine", _("Another machine")
        RECEIVER = "receiver", _("Receiver of the public log")
        NTP = "ntp", _("Time server (NTP)")

    mutable = ("ahead_us", "uncertainty_us", "own_machine", "measured_at")
    derived = mutable

    kind = models.CharField(_("kind"), max_length=10, choices=Kind.choices)
    name = models.CharField(_("name"), max_length=300)
    ahead_us = models.BigIntegerField(_("ahead (microseconds)"))
    uncertainty_us = models.BigIntegerField(_("uncertainty (microseconds)"))
    own_machine = models.BooleanField(_("the database's machine"), default=False)
    measured_at = models.DateTimeField(_("measured at"))

    class Meta:
        verbose_name = _("reading of a clock")
        verbose_name_plural = _("readings of clocks")
        constraints = [
            models.UniqueConstraint(fields=["kind", "name"], name="clock_reading_once"),
            models.CheckConstraint(
                condition=Q(uncertainty_us__gte=0), name="clock_reading_uncertainty"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.name}"


class Incident(Guarded):
    """A time during which the clock was not to be trusted and nothing was sold.

    `began_at` and `ended_at` are what the clock said, so they may be wrong by `ahead_us`, the
    difference that was measured when the incident began. `readings` are the references of then.
    """

    mutable = ("ended_at",)

    class Cause(models.TextChoices):
        BEHIND = "behind_record", _("Behind the newest act on record")
        REFERENCES = "references", _("Differs from its references")

    cause = models.CharField(_("cause"), max_length=20, choices=Cause.choices)
    ahead_us = models.BigIntegerField(_("ahead (microseconds)"))
    readings = models.JSONField(_("readings"))
    began_at = models.DateTimeField(_("began at"))
    ended_at = models.DateTimeField(_("ended at"), null=True)

    class Meta:
        verbose_name = _("incident of the clock")
        verbose_name_plural = _("incidents of the clock")
        constraints = [
            models.UniqueConstraint(
                fields=["ended_at"],
                condition=Q(ended_at=None),
                nulls_distinct=False,
                name="clock_incident_alone",
            ),
            models.CheckConstraint(
                condition=Q(cause__in=["behind_record", "references"]), name="clock_incident_cause"
            ),
        ]

    def __str__(self) -> str:
        return str(self.get_cause_display())

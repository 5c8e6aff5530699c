"""Store the stops of sales at the start of a race, and how each of them ended (14.III.4) [E12].

Store as well the devices at a course whose signal stops sales.
"""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.premises.models import Terminal
from core.staff.models import Proposal, StaffSession, User
from lototrot.models.programme import Meeting, Race, Racecourse


class SalesStop(Guarded):
    """A stop of the sales of every contest on a race, or on a meeting if `race` is null [E12].

    A person of the stewards' desk stops sales, or a terminal at the course that gives a signal.
    `proposal` is the start or the declaration that stopped them; its decision ends the stop. Until
    it ends, the contests that it covers are stopped or closed. It ends by being lifted, or when the
    last of them closes: confirmed by a start or by a declaration, or closed for another cause.
    """

    mutable = ("ended_at", "ending", "lifting")

    class Ending(models.TextChoices):
        LIFTED = "lifted", _("Lifted")
        CONFIRMED = "confirmed", _("Confirmed")
        CLOSED = "closed", _("Closed meanwhile")

    meeting = foreign_key(Meeting, _("meeting"), related_name="stops")
    race = foreign_key(Race, _("race"), related_name="stops", null=True)
    source = models.CharField(_("source"), max_length=400)
    stopped_at = models.DateTimeField(_("stopped at"))
    stopped_by = foreign_key(User, _("stopped by"), null=True)
    stopped_in = foreign_key(StaffSession, _("stopped in session"), null=True)
    terminal = foreign_key(Terminal, _("terminal"), null=True)
    proposal = one_to_one(Proposal, _("proposal"), null=True)
    ended_at = models.DateTimeField(_("ended at"), null=True)
    ending = models.CharField(_("ended by"), max_length=10, choices=Ending.choices, blank=True)
    lifting = one_to_one(Proposal, _("lifting"), null=True)

    class Meta:
        verbose_name = _("stop of sales")
        verbose_name_plural = _("stops of sales")
        constraints = [
            models.CheckConstraint(
                condition=Q(stopped_by__isnull=False, stopped_in__isnull=False, terminal=None)
                | Q(stopped_by=None, stopped_in=None, terminal__isnull=False, proposal=None),
                name="stop_by_person_or_signal",
            ),
            models.CheckConstraint(condition=~Q(source=""), name="stop_has_source"),
            models.CheckConstraint(
                condition=Q(ended_at=None, ending="", lifting=None)
                | Q(ended_at__isnull=False) & ~Q(ending=""),
                name="stop_ended_whole",
            ),
            models.CheckConstraint(
                condition=Q(lifting=None) | Q(ending="lifted"), name="stop_lifting_lifts"
            ),
        ]

    def __str__(self) -> str:
        return str(self.race or self.meeting)


class SignalDevice(Guarded):
    """A terminal that two persons appointed to signal the starts of a racecourse [E12].

    Its signal only stops sales: two persons confirm the start or lift the stop. One person ends it.
    """

    mutable = ("ended_at", "ended_by", "ended_in")

    terminal = foreign_key(Terminal, _("terminal"))
    racecourse = foreign_key(Racecourse, _("racecourse"), related_name="signal_devices")
    appointed_at = models.DateTimeField(_("appointed at"))
    proposal = one_to_one(Proposal, _("proposal"))
    ended_at = models.DateTimeField(_("ended at"), null=True)
    ended_by = foreign_key(User, _("ended by"), null=True)
    ended_in = foreign_key(StaffSession, _("ended in session"), null=True)

    class Meta:
        verbose_name = _("device that signals starts")
        verbose_name_plural = _("devices that signal starts")
        constraints = [
            models.UniqueConstraint(
                fields=["terminal", "racecourse"],
                condition=Q(ended_at=None),
                name="signal_device_once",
            ),
            models.CheckConstraint(
                condition=Q(ended_at=None, ended_by=None, ended_in=None)
                | Q(ended_at__isnull=False, ended_by__isnull=False, ended_in__isnull=False),
                name="signal_device_ended_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.terminal.code} · {self.racecourse}"

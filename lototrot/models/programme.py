"""Store the official programme: racecourses, meetings, races, runners, approval (14.III.5.2)."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.staff.models import StaffSession, User


class Racecourse(Guarded):
    mutable = ("name", "municipality")

    code = models.CharField(_("code"), max_length=20, unique=True)
    name = models.CharField(_("name"), max_length=120)
    timezone = models.CharField(_("time zone"), max_length=60)
    municipality = models.CharField(_("municipality"), max_length=80, blank=True)
    country = models.CharField(_("country"), max_length=2, blank=True)

    class Meta:
        verbose_name = _("racecourse")
        verbose_name_plural = _("racecourses")

    def __str__(self) -> str:
        return self.name


class Meeting(Guarded):
    """The official programme of one day, as it was imported.

    It does not change afterwards (14.I.2). A race of it can have started from `begins_at` until
    before `ends_at`, an hour of the next morning [B15].
    """

    day = models.DateField(_("day"))
    begins_at = models.DateTimeField(_("begins at"))
    ends_at = models.DateTimeField(_("ends at"))
    name = models.CharField(_("name"), max_length=200)
    reference = models.CharField(_("reference"), max_length=120, unique=True)
    document = models.JSONField(_("document"))
    document_digest = models.BinaryField(max_length=32)
    imported_at = models.DateTimeField(_("imported at"))
    imported_by = foreign_key(User, _("imported by"))
    imported_in = foreign_key(StaffSession, _("imported in session"))

    class Meta:
        verbose_name = _("meeting")
        verbose_name_plural = _("meetings")
        constraints = [
            models.CheckConstraint(
                condition=Q(begins_at__lt=F("ends_at")), name="meeting_begins_before_it_ends"
            )
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.name}"


class FederationApproval(Guarded):
    """The approval or adoption of the programme by the Federació Balear de Trot (14.III.5.2)."""

    meeting = one_to_one(Meeting, _("meeting"), related_name="approval")
    approved_by = models.CharField(_("approved by"), max_length=120)
    approved_at = models.DateTimeField(_("approved at"))
    reference = models.CharField(_("reference"), max_length=120)
    recorded_by = foreign_key(User, _("recorded by"))
    recorded_in = foreign_key(StaffSession, _("recorded in session"))
    recorded_at = models.DateTimeField(_("recorded at"))

    class Meta:
        verbose_name = _("approval by the Federation")
        verbose_name_plural = _("approvals by the Federation")
        constraints = [
            models.CheckConstraint(
                condition=~Q(approved_by="") & ~Q(reference=""), name="approval_is_complete"
            )
        ]

    def __str__(self) -> str:
        return self.reference


class InternalBetList(Guarded):
    """The types of the internal bet of a meeting, all of them, from a source (14.I.1) [E16].

    No contest on the meeting may coincide with one. `types` is a list of {code, name}. An empty
    list is said to be empty: `none`. The newest list is in force.
    """

    meeting = foreign_key(Meeting, _("meeting"), related_name="internal_lists")
    types = models.JSONField(_("internal bet types"))
    none = models.BooleanField(_("said to be empty"))
    source = models.CharField(_("source"), max_length=200)
    dated_on = models.DateField(_("dated"))
    recorded_at = models.DateTimeField(_("recorded at"))
    recorded_by = foreign_key(User, _("recorded by"))
    recorded_in = foreign_key(StaffSession, _("recorded in session"))

    class Meta:
        verbose_name = _("list of internal bet types")
        verbose_name_plural = _("lists of internal bet types")
        constraints = [
            models.CheckConstraint(
                condition=Q(none=True, types=[]) | Q(none=False) & ~Q(types=[]),
                name="internal_list_said",
            ),
            models.CheckConstraint(condition=~Q(source=""), name="internal_list_has_source"),
        ]

    def __str__(self) -> str:
        return ", ".join(kind["code"] for kind in self.types) or "–"


class Race(Guarded):
    meeting = foreign_key(Meeting, _("meeting"), related_name="races", db_index=False)
    racecourse = foreign_key(Racecourse, _("racecourse"), related_name="races")
    number = models.PositiveSmallIntegerField(_("number"))
    name = models.CharField(_("name"), max_length=200, blank=True)
    scheduled_start_at = models.DateTimeField(_("scheduled start"))
    distance_m = models.PositiveIntegerField(_("distance (m)"), null=True)
    start_method = models.CharField(_("start method"), max_length=40, blank=True)
    category = models.CharField(_("category"), max_length=200, blank=True)

    class Meta:
        verbose_name = _("race")
        verbose_name_plural = _("races")
        constraints = [
            models.UniqueConstraint(
                fields=["meeting", "racecourse", "number"], name="race_of_meeting"
            )
        ]

    def __str__(self) -> str:
        return f"{self.number}. {self.name}".strip()


class Runner(Guarded):
    """A horse in a race, identified by its number in the official programme (14.I.5)."""

    race = foreign_key(Race, _("race"), related_name="runners", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    name = models.CharField(_("name"), max_length=80)
    driver = models.CharField(_("driver"), max_length=80, blank=True)
    trainer = models.CharField(_("trainer"), max_length=80, blank=True)
    sex_age = models.CharField(_("sex and age"), max_length=20, blank=True)
    distance_m = models.PositiveIntegerField(_("distance (m)"), null=True)

    class Meta:
        verbose_name = _("runner")
        verbose_name_plural = _("runners")
        constraints = [
            models.UniqueConstraint(fields=["race", "number"], name="runner_of_race"),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=31), name="runner_number_1_to_31"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.name}"

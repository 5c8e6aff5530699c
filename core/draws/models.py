"""Store public draws: announced, committed, drawn, certified; each step is a row (14.III.5.4)."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.premises.models import Premises
from core.staff.models import Proposal, StaffSession, User


class Draw(Guarded):
    """A public draw of a subject, and its state.

    A subject has one draw at a time. A draw is called off when its subject has fallen away, only
    before its commitment. After it, inspector and organiser may abandon it together, which
    publishes its secret; then there is another draw [B16]. The row stays.
    """

    class State(models.TextChoices):
        ANNOUNCED = "announced", _("Announced")
        COMMITTED = "committed", _("Committed")
        DRAWN = "drawn", _("Drawn, to be certified")
        CERTIFIED = "certified", _("Certified")
        CALLED_OFF = "called_off", _("Called off")
        ABANDONED = "abandoned", _("Abandoned")

    FALLEN: ClassVar = (State.CALLED_OFF, State.ABANDONED)
    """States after which the subject may have another draw."""

    OVER: ClassVar = (*FALLEN, State.CERTIFIED)

    mutable = ("state",)
    transitions = {
        "announced": ("committed", "drawn", "called_off"),
        "committed": ("drawn", "abandoned"),
        "drawn": ("certified",),
    }

    uuid = models.UUIDField(_("UUID"), unique=True, default=uuid.uuid4)
    kind = models.CharField(_("kind"), max_length=60)
    subject = models.CharField(_("subject"), max_length=80)
    title = models.JSONField(_("title"))
    reason = models.CharField(_("reason"), max_length=400)
    declared_at = models.DateTimeField(_("declared at"))
    due_at = models.DateTimeField(_("due at"), null=True)
    state = models.CharField(
        _("state"), max_length=10, choices=State.choices, default=State.ANNOUNCED
    )
    created_at = models.DateTimeField(_("registered at"))

    class Meta:
        verbose_name = _("public draw")
        verbose_name_plural = _("public draws")
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject"],
                condition=~Q(state__in=["called_off", "abandoned"]),
                name="draw_one",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="draw_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class Announcement(Guarded):
    """The announced place and time of a draw; the newest is in force (14.III.5.4.2) [B16].

    `office` is the Central Office at that place. An inspector must give a reason if there is none,
    and if an announced time had come before. `notice_s` is the notice in force, in seconds.
    """

    draw = foreign_key(Draw, _("public draw"), related_name="announcements")
    office = foreign_key(Premises, _("Central Office"), null=True)
    place = models.CharField(_("place"), max_length=410, blank=True)
    notice_s = models.PositiveIntegerField(_("notice (s)"))
    planned_at = models.DateTimeField(_("planned for"))
    announced_at = models.DateTimeField(_("announced at"))
    announced_by = foreign_key(User, _("announced by"))
    announced_in = foreign_key(StaffSession, _("announced in session"))

    class Meta:
        verbose_name = _("announcement")
        verbose_name_plural = _("announcements")

    def __str__(self) -> str:
        return self.place


class Attendance(Guarded):
    """The presence of an inspector appointed by the director general (14.III.5.4.4)."""

    draw = foreign_key(Draw, _("public draw"), related_name="attendances", db_index=False)
    inspector = foreign_key(User, _("inspector"))
    session = foreign_key(StaffSession, _("session"))
    appointment = models.CharField(_("reference of appointment"), max_length=120)
    attended_at = models.DateTimeField(_("attended at"))

    class Meta:
        verbose_name = _("attendance")
        verbose_name_plural = _("attendances")
        constraints = [
            models.UniqueConstraint(fields=["draw", "inspector"], name="attends_once"),
            models.UniqueConstraint(fields=["id", "draw"], name="attendance_of_draw"),
        ]

    def __str__(self) -> str:
        return str(self.inspector)


class PlaceReason(Guarded):
    """The reason of an inspector who attends why a draw is not at a Central Office, or announced
    anew after its time had come [B16].
    """

    announcement = one_to_one(Announcement, _("announcement"), related_name="elsewhere")
    attendance = foreign_key(Attendance, _("inspector"))
    session = foreign_key(StaffSession, _("session"))
    reason = models.CharField(_("reason"), max_length=400)
    stated_at = models.DateTimeField(_("stated at"))

    class Meta:
        verbose_name = _("reason for another place")
        verbose_name_plural = _("reasons for other places")
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="place_has_reason"),
        ]

    def __str__(self) -> str:
        return self.reason


class DrawField(Guarded):
    """The fixed field of a draw: its entries, the number of places, the facts behind it."""

    draw = one_to_one(Draw, _("public draw"), related_name="field")
    entries = models.JSONField(_("entries"))
    digest = models.BinaryField(_("digest"), max_length=32)
    size = models.PositiveIntegerField(_("number of entries"))
    places = models.PositiveIntegerField(_("places"))
    facts = models.JSONField(_("facts"))
    fixed_at = models.DateTimeField(_("fixed at"))

    class Meta:
        verbose_name = _("field of a draw")
        verbose_name_plural = _("fields of draws")
        constraints = [
            models.CheckConstraint(
                condition=Q(places__gte=1, places__lte=F("size")), name="draw_places"
            )
        ]

    def __str__(self) -> str:
        return str(self.draw)


class Commitment(Guarded):
    """The secret of a draw, encrypted under a key kept elsewhere, and its published digest.

    The digest binds what the witness will give, too: its `source`, and how many `pieces` (dice or
    balls; null for a phrase) [B16].
    """

    draw = one_to_one(Draw, _("public draw"), related_name="commitment")
    source = models.CharField(_("source"), max_length=10)
    pieces = models.PositiveSmallIntegerField(_("dice or balls"), null=True)
    secret_kept = models.BinaryField()
    digest = models.BinaryField(_("digest"), max_length=32, unique=True)
    committed_at = models.DateTimeField(_("committed at"))
    committed_by = foreign_key(User, _("committed by"))
    committed_in = foreign_key(StaffSession, _("committed in session"))

    class Meta:
        verbose_name = _("commitment")
        verbose_name_plural = _("commitments")
        constraints = [
            models.CheckConstraint(
                condition=Q(source="phrase", pieces=None)
                | Q(source__in=["dice", "balls"], pieces__gte=1),
                name="commitment_pieces",
            )
        ]

    def __str__(self) -> str:
        return bytes(self.digest).hex()


class Outcome(Guarded):
    """The order of a draw: computed from secret and entropy, or drawn with balls by hand.

    `entropy_text` is what the witness gave, verbatim; `entropy` its canonical form. An inspector
    who attends enters it [B16]. A draw by hand is entered afterwards by an organiser and the
    inspector with its `cause`, and has no secret.
    """

    class Method(models.TextChoices):
        COMPUTED = "computed", _("Computed from secret and entropy")
        BALLS = "balls", _("Balls drawn by hand")

    draw = one_to_one(Draw, _("public draw"), related_name="outcome")
    method = models.CharField(_("method"), max_length=10, choices=Method.choices)
    witness = models.CharField(_("witness"), max_length=200)
    source = models.CharField(_("source"), max_length=10, blank=True)
    entropy_text = models.CharField(_("entropy"), max_length=400, blank=True)
    entropy = models.CharField(_("entropy in canonical form"), max_length=800, blank=True)
    secret = models.BinaryField(max_length=32, null=True)
    order = models.JSONField(_("order"))
    place = models.CharField(_("place"), max_length=410)
    drawn_at = models.DateTimeField(_("drawn at"))
    cause = models.CharField(_("cause"), max_length=400, blank=True)
    proposal = one_to_one(Proposal, _("proposal"), null=True)
    entered_at = models.DateTimeField(_("entered at"))
    entered_by = foreign_key(User, _("entered by"))
    entered_in = foreign_key(StaffSession, _("entered in session"))

    class Meta:
        verbose_name = _("outcome of a draw")
        verbose_name_plural = _("outcomes of draws")
        constraints = [
            models.CheckConstraint(
                condition=Q(method="computed", secret__isnull=False, proposal=None, cause="")
                & ~Q(entropy="")
                | Q(method="balls", secret=None, proposal__isnull=False, entropy="") & ~Q(cause=""),
                name="outcome_whole",
            ),
            models.CheckConstraint(
                condition=Q(drawn_at__lte=F("entered_at")), name="outcome_not_ahead"
            ),
            models.CheckConstraint(condition=~Q(witness=""), name="outcome_witnessed"),
        ]

    def __str__(self) -> str:
        return str(self.draw)


class DrawCertificate(Guarded):
    """The certificate of the attending inspector; with it the draw is final [B12, B13]."""

    draw = one_to_one(Draw, _("public draw"), related_name="certificate")
    attendance = foreign_key(Attendance, _("inspector"))
    session = foreign_key(StaffSession, _("session"))
    late = models.BooleanField(_("late"))
    late_cause = models.CharField(_("cause of the delay"), max_length=400, blank=True)
    observations = models.CharField(_("observations"), max_length=1000, blank=True)
    certified_at = models.DateTimeField(_("certified at"))

    class Meta:
        verbose_name = _("certificate of a draw")
        verbose_name_plural = _("certificates of draws")
        constraints = [
            models.CheckConstraint(
                condition=Q(late=False, late_cause="") | Q(late=True) & ~Q(late_cause=""),
                name="late_draw_has_cause",
            )
        ]

    def __str__(self) -> str:
        return str(self.draw)


class CallOff(Guarded):
    """The calling off of a draw whose subject fell away before the commitment [B13]."""

    draw = one_to_one(Draw, _("public draw"), related_name="call_off")
    reason = models.CharField(_("reason"), max_length=400)
    called_off_at = models.DateTimeField(_("called off at"))
    called_off_by = foreign_key(User, _("called off by"))
    called_off_in = foreign_key(StaffSession, _("called off in session"))

    class Meta:
        verbose_name = _("calling off")
        verbose_name_plural = _("callings off")

    def __str__(self) -> str:
        return str(self.draw)


class Abandonment(Guarded):
    """The act by which inspector and organiser give up a committed draw [B16].

    It publishes the secret, so that nobody can wonder which order they did not want.
    """

    draw = one_to_one(Draw, _("public draw"), related_name="abandonment")
    reason = models.CharField(_("reason"), max_length=400)
    secret = models.BinaryField(max_length=32)
    attendance = foreign_key(Attendance, _("inspector"))
    proposal = one_to_one(Proposal, _("proposal"))
    abandoned_at = models.DateTimeField(_("abandoned at"))

    class Meta:
        verbose_name = _("abandonment")
        verbose_name_plural = _("abandonments")
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="abandonment_has_reason"),
        ]

    def __str__(self) -> str:
        return str(self.draw)

"""Store what happens at the racecourse, from withdrawals to classifications (14.III.5)."""

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.staff.models import Proposal, StaffSession, User
from lototrot.models.programme import Race


class Withdrawal(Guarded):
    """A horse withdrawn before the start (14.III.5.4.1).

    It takes effect for sales when it is entered. A second person confirms it. After the start, a
    mistaken withdrawal can be reversed only if it was entered or took effect after the start.
    """

    mutable = ("confirmed_at", "reversed_at", "reversed_reason", "reversal")

    race = foreign_key(Race, _("race"), related_name="withdrawals")
    number = models.PositiveSmallIntegerField(_("number"))
    effective_at = models.DateTimeField(_("effective from"))
    source = models.CharField(_("source"), max_length=200)
    entered_at = models.DateTimeField(_("entered at"))
    entered_by = foreign_key(User, _("entered by"))
    entered_in = foreign_key(StaffSession, _("entered in session"))
    proposal = one_to_one(Proposal, _("proposal"))
    confirmed_at = models.DateTimeField(_("confirmed at"), null=True)
    reversed_at = models.DateTimeField(_("reversed at"), null=True)
    reversed_reason = models.CharField(_("reason of the reversal"), max_length=400, blank=True)
    reversal = one_to_one(Proposal, _("reversal"), null=True)

    class Meta:
        verbose_name = _("withdrawal")
        verbose_name_plural = _("withdrawals")
        constraints = [
            models.UniqueConstraint(
                fields=["race", "number"], condition=Q(reversed_at=None), name="withdrawn_once"
            ),
            models.CheckConstraint(
                condition=Q(effective_at__lte=F("entered_at")), name="withdrawal_not_ahead"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} · {self.race}"


class RaceStart(Guarded):
    """The actual start of a race and the source that reported it, by two persons (14.III.4) [E12].

    The newest is in force; a correction replaces the one before it. A start can be recorded while
    the clock is known to be behind. `real_at` is then the time of recording by the references; else
    it is null.
    """

    race = foreign_key(Race, _("race"), related_name="starts")
    actual_start_at = models.DateTimeField(_("actual start"))
    source = models.CharField(_("source"), max_length=200)
    recorded_at = models.DateTimeField(_("recorded at"))
    real_at = models.DateTimeField(_("recorded at, by the references of the clock"), null=True)
    recorded_by = foreign_key(User, _("recorded by"))
    recorded_in = foreign_key(StaffSession, _("recorded in session"))
    proposal = one_to_one(Proposal, _("proposal"))
    corrects = models.OneToOneField(
        "self", models.PROTECT, null=True, related_name="corrected_by", verbose_name=_("corrects")
    )

    class Meta:
        verbose_name = _("start")
        verbose_name_plural = _("starts")
        constraints = [
            models.UniqueConstraint(
                fields=["race"], condition=Q(corrects=None), name="first_start_once"
            ),
            models.CheckConstraint(
                condition=Q(actual_start_at__lte=Coalesce(F("real_at"), F("recorded_at"))),
                name="start_not_ahead",
            ),
            models.CheckConstraint(
                condition=Q(real_at=None) | Q(real_at__gt=F("recorded_at")),
                name="start_clock_behind",
            ),
            models.CheckConstraint(condition=~Q(source=""), name="start_has_source"),
        ]

    def __str__(self) -> str:
        return str(self.race)


class StartAnnouncement(Guarded):
    """A new time of a start, as the stewards announced it. The newest is in force [E13]."""

    race = foreign_key(Race, _("race"), related_name="start_announcements")
    start_at = models.DateTimeField(_("announced start"))
    source = models.CharField(_("source"), max_length=200)
    announced_at = models.DateTimeField(_("announced at"))
    announced_by = foreign_key(User, _("announced by"))
    announced_in = foreign_key(StaffSession, _("announced in session"))

    class Meta:
        verbose_name = _("announced start")
        verbose_name_plural = _("announced starts")
        constraints = [
            models.CheckConstraint(
                condition=Q(start_at__gt=F("announced_at")), name="announced_start_ahead"
            ),
            models.CheckConstraint(condition=~Q(source=""), name="announced_start_has_source"),
        ]

    def __str__(self) -> str:
        return str(self.race)


class RaceDeclaration(Guarded):
    """A declaration that a race was not run, or was run without a classification [B17].

    Two persons make it. The result of such a race comes from a public draw. `text` is what `author`
    decided, in full. The two hours of 14.III.5.4.2 run from `declared_at`. `left` is a list of
    {number, ruling} for the horses that did not take the start; they are not in the draw [B5, B8].
    If the race is run later on the same day, the declaration is superseded, unless the draw is
    certified [B13]. Two persons retract a mistaken declaration.
    """

    mutable = ("superseded_at", "retraction")

    class Kind(models.TextChoices):
        NOT_RUN = "not_run", _("Not run")
        SUSPENDED = "suspended", _("Started and suspended")
        ALL_DISQUALIFIED = "all_disqualified", _("All disqualified")
        NO_WINNER = "no_winner", _("Run without a winner")

    class Author(models.TextChoices):
        STEWARDS = "stewards", _("Stewards")
        FEDERATION = "federation", _("Federation")
        AUTHORITY = "authority", _("Gaming authority")

    race = foreign_key(Race, _("race"), related_name="declarations")
    kind = models.CharField(_("kind"), max_length=20, choices=Kind.choices)
    reason = models.CharField(_("reason"), max_length=400)
    text = models.TextField(_("text of the decision"), blank=True)
    author = models.CharField(
        _("decided by"), max_length=10, choices=Author.choices, default=Author.STEWARDS
    )
    left = models.JSONField(_("left at the start"), default=list)
    declared_at = models.DateTimeField(_("declared at"))
    recorded_at = models.DateTimeField(_("recorded at"))
    recorded_by = foreign_key(User, _("recorded by"))
    recorded_in = foreign_key(StaffSession, _("recorded in session"))
    proposal = foreign_key(Proposal, _("proposal"))
    superseded_at = models.DateTimeField(_("superseded at"), null=True)
    retraction = one_to_one(Proposal, _("retraction"), null=True)

    class Meta:
        verbose_name = _("declaration")
        verbose_name_plural = _("declarations")
        constraints = [
            models.UniqueConstraint(
                fields=["race"], condition=Q(superseded_at=None), name="declaration_standing"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="declaration_has_reason"),
            models.CheckConstraint(
                condition=Q(kind__in=["not_run", "suspended"]) | ~Q(text=""),
                name="declaration_has_text",
            ),
            models.CheckConstraint(
                condition=Q(declared_at__lte=F("recorded_at")), name="declaration_not_ahead"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} · {self.race}"


class Classification(Guarded):
    """The stewards' definitive classification.

    It does not change after its announcement (14.III.5.3). `runners` is a list of {number, outcome,
    place, ruling}; outcome is winner, started, withdrawn, left or disqualified. Two persons may
    correct a keying error against the announced text before the payment order [B14]. The correction
    is a new row, and the old row is no longer in force.
    """

    mutable = ("in_force",)

    race = foreign_key(Race, _("race"), related_name="classifications")
    runners = models.JSONField(_("runners"))
    announced_text = models.TextField(_("announced text"))
    announced_at = models.DateTimeField(_("announced at"))
    author = models.CharField(_("stewards"), max_length=200)
    proposal = one_to_one(Proposal, _("proposal"))
    confirmed_at = models.DateTimeField(_("confirmed at"))
    corrects = models.OneToOneField(
        "self", models.PROTECT, null=True, related_name="corrected_by", verbose_name=_("corrects")
    )
    in_force = models.BooleanField(_("in force"), default=True)

    class Meta:
        verbose_name = _("classification")
        verbose_name_plural = _("classifications")
        constraints = [
            models.UniqueConstraint(
                fields=["race"], condition=Q(in_force=True), name="classification_in_force"
            ),
            models.CheckConstraint(
                condition=~Q(announced_text="") & ~Q(author=""), name="classification_announced"
            ),
        ]

    def __str__(self) -> str:
        return str(self.race)

"""Store cashiers' cash sessions: float, movements, count."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.premises.models import Premises
from core.staff.models import Proposal, StaffSession, User


class CashSession(Guarded):
    """A cashier's cash session at an office, from the float to the count.

    `expected_cents` is what the books said at the close, `count` the notes and coins by their cents
    (`core.payoffice.counting`), and `counted_cents` their sum. It is closed by the proposal that
    another person than the cashier confirmed, who received the cash. A difference has a reason
    from a list, and words.
    """

    class Reason(models.TextChoices):
        """The cause of a difference, as far as the cashier knows it."""

        CHANGE = "change", _("Too much or too little change was given")
        PRIZE = "prize", _("A prize was paid too high or too low")
        FLOAT = "float", _("The float or a movement was counted wrongly")
        NOTE = "note", _("A note or coin is false or damaged")
        UNKNOWN = "unknown", _("It was looked for and not found")
        OTHER = "other", _("Another reason")

    counted = ("expected_cents", "counted_cents", "count", "difference_reason", "difference_words")
    mutable = ("closed_at", *counted, "proposal")

    uuid = models.UUIDField(_("UUID"), unique=True)
    premises = foreign_key(Premises, _("premises"))
    cashier = foreign_key(User, _("cashier"))
    opened_in = foreign_key(StaffSession, _("opened in session"))
    opened_at = models.DateTimeField(_("opened at"))
    float_cents = models.BigIntegerField(_("float"))
    closed_at = models.DateTimeField(_("closed at"), null=True)
    expected_cents = models.BigIntegerField(_("expected"), null=True)
    counted_cents = models.BigIntegerField(_("counted"), null=True)
    count = models.JSONField(_("notes and coins"), null=True)
    difference_reason = models.CharField(
        _("reason of the difference"), max_length=20, choices=Reason.choices, default=""
    )
    difference_words = models.CharField(_("in words"), max_length=200, default="")
    proposal = one_to_one(Proposal, _("proposal"), null=True)

    class Meta:
        verbose_name = _("cash session")
        verbose_name_plural = _("cash sessions")
        constraints = [
            models.UniqueConstraint(
                fields=["cashier"], condition=Q(closed_at=None), name="cash_session_alone"
            ),
            models.CheckConstraint(condition=Q(float_cents__gte=0), name="cash_session_float"),
            models.CheckConstraint(
                condition=Q(
                    closed_at=None, expected_cents=None, counted_cents=None, count__isnull=True
                )
                | Q(
                    closed_at__gte=F("opened_at"),
                    expected_cents__isnull=False,
                    counted_cents__gte=0,
                    count__isnull=False,
                ),
                name="cash_session_closed_whole",
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None, proposal=None)
                | Q(closed_at__isnull=False, proposal__isnull=False),
                name="cash_session_closed_by_two",
            ),
            models.CheckConstraint(
                condition=Q(closed_at=None, difference_reason="", difference_words="")
                | Q(expected_cents=F("counted_cents"), difference_reason="", difference_words="")
                | (
                    Q(closed_at__isnull=False)
                    & ~Q(expected_cents=F("counted_cents"))
                    & ~Q(difference_reason="")
                    & ~Q(difference_words="")
                ),
                name="cash_session_difference_explained",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.cashier} · {self.pk}"

    @property
    def difference_cents(self) -> int | None:
        """Return the cents over (positive) or short (negative) at the count; None while open."""
        if self.counted_cents is None or self.expected_cents is None:
            return None
        return self.counted_cents - self.expected_cents


class CashMovement(Guarded):
    """Cash brought to an open session (positive) or taken from it, other than by a payment.

    What is taken has the proposal of the cashier, which another person confirmed who received it.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    session = foreign_key(CashSession, _("session"), related_name="movements")
    cents = models.BigIntegerField(_("amount"))
    reason = models.CharField(_("reason"), max_length=200)
    proposal = one_to_one(Proposal, _("proposal"), null=True)
    moved_at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("cash movement")
        verbose_name_plural = _("cash movements")
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="cash_movement_has_reason"),
            models.CheckConstraint(
                condition=Q(cents__gt=0, proposal=None) | Q(cents__lt=0, proposal__isnull=False),
                name="cash_taken_by_two",
            ),
        ]

    def __str__(self) -> str:
        return str(self.cents)

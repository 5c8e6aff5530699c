"""Store the counts of drawers at the end of shifts."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key
from core.premises.models import Operator, Terminal


class CashUp(Guarded):
    """The count of the drawer of a terminal by its operator at the end of a shift.

    Sales are positive; annulments and prizes paid are negative. `lines` has them by game and
    column, with the number of movements. A shift is numbered by operator and terminal, and goes
    from the cash-up before, or the beginning of the day of the first sign-on, to this one.
    `snapshot` names the transactions that were counted.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    terminal = foreign_key(Terminal, _("terminal"), related_name="cash_ups", db_index=False)
    operator = foreign_key(Operator, _("operator"), related_name="cash_ups")
    number = models.PositiveIntegerField(_("number"))
    since = models.DateTimeField(_("from"))
    closed_at = models.DateTimeField(_("closed at"))
    sales_cents = models.BigIntegerField(_("sales"))
    annulments_cents = models.BigIntegerField(_("annulments"))
    prizes_cents = models.BigIntegerField(_("paid to players"))
    other_cents = models.BigIntegerField(_("other"))
    expected_cents = models.BigIntegerField(_("expected"))
    float_cents = models.BigIntegerField(_("float"))
    counted_cents = models.BigIntegerField(_("counted"))
    note = models.CharField(_("note"), max_length=200, blank=True)
    lines = models.JSONField(_("movements"))
    snapshot = models.TextField(_("transactions counted"))

    class Meta:
        verbose_name = _("cash-up")
        verbose_name_plural = _("cash-ups")
        constraints = [
            models.UniqueConstraint(
                fields=["terminal", "operator", "number"], name="cash_up_number"
            ),
            models.CheckConstraint(
                condition=Q(number__gte=1, float_cents__gte=0, counted_cents__gte=0),
                name="cash_up_counted",
            ),
            models.CheckConstraint(
                condition=Q(
                    expected_cents=F("sales_cents")
                    + F("annulments_cents")
                    + F("prizes_cents")
                    + F("other_cents")
                ),
                name="cash_up_adds_up",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.terminal} {self.operator} {self.number}"

    @property
    def difference_cents(self) -> int:
        """Return what was counted beyond float and expected money; negative if money is missing."""
        return self.counted_cents - self.float_cents - self.expected_cents

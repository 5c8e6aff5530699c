"""Store what payments were that left the live store with a retired month (ADR 57)."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.payoffice.models.payments import MEANS, PLACES
from core.premises.models import Premises


class RetiredPayments(Guarded):
    """The payments of premises on a day that left with a retired month, as sums.

    The database writes them when the payments are retired. From then on every count of payments
    adds these sums to the payments that stay. Each of `amounts_cents` was paid as often as `counts`
    says. `retired` is the row of the retirement (`periods.RetiredRows`).
    """

    inserted_by_application = False

    retired = models.BigIntegerField(_("retired rows"))
    game = models.CharField(_("game"), max_length=20)
    day = models.DateField(_("day"))
    premises = models.ForeignKey(
        Premises, models.PROTECT, related_name="+", db_index=False, verbose_name=_("premises")
    )
    place = models.CharField(_("place"), max_length=20, choices=PLACES)
    means = models.CharField(_("means"), max_length=20, choices=MEANS)
    payments = models.BigIntegerField(_("payments"))
    amount_cents = models.BigIntegerField(_("amount"))
    amounts_cents = ArrayField(models.BigIntegerField(), verbose_name=_("amounts in cents"))
    counts = ArrayField(models.BigIntegerField(), verbose_name=_("payments of each amount"))

    class Meta:
        verbose_name = _("sums of payments that left")
        verbose_name_plural = _("sums of payments that left")
        constraints = [
            models.CheckConstraint(
                condition=Q(payments__gte=1, amount_cents__gte=F("payments")),
                name="retired_payments_some",
            )
        ]
        indexes = [BrinIndex(fields=["day"], name="retired_payments_day", autosummarize=True)]

    def __str__(self) -> str:
        return f"{self.day} · {self.premises_id}"

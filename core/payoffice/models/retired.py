"""Store what payments were that left the live store with a retired month (ADR 57)."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.payoffice.models.payments import MEANS, PLACES


class RetiredPayments(Guarded):
    """The payments of a day that left with a retired month, as sums by premises and amount.

    The database writes them when the payments are retired. From then on every count of payments
    adds these sums to the payments that stay. A row has up to 128 sums, and each array one entry of
    each: those premises paid that amount so many times. The view `payoffice_left_by_premises` has
    a row for each. `retired` is the row of the retirement (`periods.RetiredRows`).
    """

    inserted_by_application = False

    retired = models.BigIntegerField(_("retired rows"))
    game = models.CharField(_("game"), max_length=20)
    day = models.DateField(_("day"))
    place = models.CharField(_("place"), max_length=20, choices=PLACES)
    means = models.CharField(_("means"), max_length=20, choices=MEANS)
    premises = ArrayField(models.BigIntegerField(), verbose_name=_("premises"))
    amounts_cents = ArrayField(models.BigIntegerField(), verbose_name=_("amounts in cents"))
    counts = ArrayField(models.BigIntegerField(), verbose_name=_("payments of each amount"))

    class Meta:
        verbose_name = _("sums of payments that left")
        verbose_name_plural = _("sums of payments that left")
        indexes = [BrinIndex(fields=["day"], name="retired_payments_day", autosummarize=True)]

    def __str__(self) -> str:
        return f"{self.day} · {self.get_place_display()}"

"""Store what stays of retired months: the plays that left, and the vouchers that never had a
confirmed print (ADR 63, 91).
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.periods.models import RetiredRows, Retirement
from promotrot.models.emission import Emission
from promotrot.models.voucher import Voucher


class UnprintedVoucher(Guarded):
    """A voucher of a retired month that had no confirmed print then.

    The database lists these when the month is retired. Prints of the others leave: so a voucher of
    that month without a row here was printed, though nothing live has its print. A listed one that
    nobody had claimed, such as a price due back, may be printed later; that print stays.
    """

    inserted_by_application = False

    voucher = one_to_one(Voucher, _("voucher"))
    retirement = foreign_key(Retirement, _("retirement of a closed period"), db_index=False)

    class Meta:
        verbose_name = _("voucher without a confirmed print")
        verbose_name_plural = _("vouchers without a confirmed print")

    def __str__(self) -> str:
        return str(self.voucher)


class RetiredPlays(Guarded):
    """The plays of an emission and day of sale that left with a retired month (ADR 91).

    A row has up to 512; each array has one value of each: its place in the emission, premises,
    terminal, and the UUID. The view `promotrot_left_plays` has a row for each. The database writes
    them when the plays are retired. They won nothing, and their price is that of the emission: so
    these rows are the sums of what left, its entries in the draw of its game [P17], and its lines
    in the list of the emission's tickets.
    """

    inserted_by_application = False

    emission = foreign_key(Emission, _("emission"))
    retired = foreign_key(RetiredRows, _("retired rows"), db_index=False)
    day = models.DateField(_("day"), db_index=True)
    openings = ArrayField(models.IntegerField(), verbose_name=_("openings"))
    positions = ArrayField(models.IntegerField(), verbose_name=_("positions"))
    premises = ArrayField(models.BigIntegerField(), verbose_name=_("premises"))
    terminals = ArrayField(models.BigIntegerField(), verbose_name=_("terminals"))
    plays = ArrayField(models.UUIDField(), verbose_name=_("plays"))

    class Meta:
        verbose_name = _("plays that left")
        verbose_name_plural = _("plays that left")

    def __str__(self) -> str:
        return f"{self.emission} · {self.day}"

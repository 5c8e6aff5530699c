"""Store which vouchers of a retired month never had a confirmed print (ADR 63)."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.periods.models import Retirement
from promotrot.models.voucher import Voucher


class UnprintedVoucher(Guarded):
    """A voucher of a retired month that had no confirmed print then.

    The database lists these when the month is retired. Prints of the others leave: so a voucher of
    that month without a row here was printed, though nothing live has its print. A listed one that
    nobody had claimed, such as a price due back, may be printed later; that print stays.
    """

    inserted_by_application = False

    voucher = models.OneToOneField(
        Voucher, models.PROTECT, related_name="+", verbose_name=_("voucher")
    )
    retirement = models.ForeignKey(
        Retirement,
        models.PROTECT,
        related_name="+",
        db_index=False,
        verbose_name=_("retirement of a closed period"),
    )

    class Meta:
        verbose_name = _("voucher without a confirmed print")
        verbose_name_plural = _("vouchers without a confirmed print")

    def __str__(self) -> str:
        return str(self.voucher)

"""Store the months that two persons closed, and the balance of every account at their ends."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.ledger.models import Account
from core.proofs.models import LogEntry
from core.staff.models import Proposal


class ClosedPeriod(Guarded):
    """A month that is closed: nothing of it can be added, changed or taken away unnoticed.

    `document` is what the public log says of it (docs/proofs.md): counts and digests of its
    transfers, its balances, its journal and its contests. Periods follow on each other; the first
    one begins with the first transfer.
    """

    number = models.PositiveIntegerField(_("number"), unique=True)
    first_day = models.DateField(_("from"), unique=True)
    last_day = models.DateField(_("to"), unique=True)
    ends_at = models.DateTimeField(_("end of the month"))
    last_batch = models.BigIntegerField(_("last batch"))
    document = models.JSONField(_("document"))
    proposal = models.OneToOneField(
        Proposal, models.PROTECT, related_name="+", verbose_name=_("proposal")
    )
    entry = models.OneToOneField(
        LogEntry, models.PROTECT, related_name="+", verbose_name=_("entry of the public log")
    )
    closed_at = models.DateTimeField(_("closed at"))

    class Meta:
        verbose_name = _("closed period")
        verbose_name_plural = _("closed periods")
        constraints = [
            models.CheckConstraint(
                condition=Q(number__gte=1, first_day__day=1, last_day__gt=F("first_day")),
                name="period_is_a_month",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__gte=F("ends_at")), name="period_closed_after_it"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_day:%Y-%m}"


class PeriodBalance(Guarded):
    """The balance of an account at the end of a closed period, in cents, positive if debit.

    An account without a balance has no row.
    """

    period = models.ForeignKey(
        ClosedPeriod, models.PROTECT, related_name="balances", verbose_name=_("closed period")
    )
    account = models.ForeignKey(
        Account, models.PROTECT, db_index=False, related_name="+", verbose_name=_("account")
    )
    balance_cents = models.BigIntegerField(_("balance"))

    class Meta:
        verbose_name = _("balance of a closed period")
        verbose_name_plural = _("balances of closed periods")
        constraints = [
            models.UniqueConstraint(fields=["period", "account"], name="period_balance_once"),
            models.CheckConstraint(condition=~Q(balance_cents=0), name="period_balance_stands"),
        ]

    def __str__(self) -> str:
        return f"{self.period} · {self.account}"

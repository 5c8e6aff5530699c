"""Store the months that two persons closed, their balances, archives and retired rows."""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.ledger.blocks import by_account
from core.proofs.models import LogEntry
from core.staff.models import Proposal


class ClosedPeriod(Guarded):
    """A month that is closed: nothing of it can be added, changed or taken away unnoticed.

    `document` is what the public log says of it (docs/proofs/periods.md): counts and digests of its
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

    def cents_by_account(self) -> dict[int, int]:
        """Return its balances, without those of 0."""
        return by_account(self.balances.values_list("block", "balances_cents"))


class PeriodBalance(Guarded):
    """The balances of accounts at the end of a closed period, in cents, positive if debit.

    A row has the 64 accounts of a block (`core.ledger.blocks`). An account without a balance has
    0, and a block without any has no row.
    """

    period = models.ForeignKey(
        ClosedPeriod,
        models.PROTECT,
        related_name="balances",
        db_index=False,
        verbose_name=_("closed period"),
    )
    block = models.BigIntegerField(_("block of accounts"))
    balances_cents = ArrayField(models.BigIntegerField(), verbose_name=_("balances in cents"))

    class Meta:
        verbose_name = _("balances of closed periods")
        verbose_name_plural = _("balances of closed periods")
        constraints = [
            models.UniqueConstraint(fields=["period", "block"], name="period_balance_once"),
        ]

    def __str__(self) -> str:
        return f"{self.period} · {self.block}"


class Archive(Guarded):
    """The files of a closed period: they were written, and read again, when this was recorded.

    `manifest` is that of the files, by which each can be verified; `sha256` is of its canonical
    JSON. `place` is where they were written; copies of them are elsewhere.
    """

    period = models.OneToOneField(
        ClosedPeriod, models.PROTECT, related_name="archive", verbose_name=_("closed period")
    )
    sha256 = models.CharField(_("digest of the manifest"), max_length=64)
    manifest = models.JSONField(_("manifest"))
    place = models.CharField(_("written to"), max_length=200)
    written_at = models.DateTimeField(_("written at"))

    class Meta:
        verbose_name = _("archive of a closed period")
        verbose_name_plural = _("archives of closed periods")

    def __str__(self) -> str:
        return str(self.period)

    def table(self, name: str) -> dict[str, Any] | None:
        """Return what the manifest says of a table; None if the archive has no such table."""
        tables: list[dict[str, Any]] = self.manifest["tables"]
        return next((table for table in tables if table["table"] == name), None)


class Retirement(Guarded):
    """Rows of an archived period that two persons retired: they leave the live store.

    `kept` says where copies of the archive are. The public log has it with the digest of the
    archive (docs/proofs/retired.md), so the journal accepts that exactly these rows are gone.
    """

    period = models.OneToOneField(
        ClosedPeriod, models.PROTECT, related_name="retirement", verbose_name=_("closed period")
    )
    archive = models.OneToOneField(
        Archive, models.PROTECT, related_name="+", verbose_name=_("archive of a closed period")
    )
    kept = models.CharField(_("where copies are kept"), max_length=400)
    proposal = models.OneToOneField(
        Proposal, models.PROTECT, related_name="+", verbose_name=_("proposal")
    )
    entry = models.OneToOneField(
        LogEntry, models.PROTECT, related_name="+", verbose_name=_("entry of the public log")
    )
    retired_at = models.DateTimeField(_("retired at"))

    class Meta:
        verbose_name = _("retirement of a closed period")
        verbose_name_plural = _("retirements of closed periods")
        constraints = [
            models.CheckConstraint(condition=~Q(kept=""), name="retirement_kept_somewhere")
        ]

    def __str__(self) -> str:
        return str(self.period)


class RetiredRows(Guarded):
    """The rows of one table that leave with a retirement: all whose ids are in the range.

    `sha256` is the digest of their entries of the journal, as the archive has it. `leaves` is how
    many of them are deleted. The others stay for good, because something names them;
    `staying_sha256` is the digest of their entries. All rows of the table that the batches of the
    journal up to `last_batch` sealed are in this range, or in one before.
    """

    retirement = models.ForeignKey(
        Retirement,
        models.PROTECT,
        related_name="rows",
        verbose_name=_("retirement of a closed period"),
    )
    relation = models.CharField(_("table"), max_length=63)
    first_row = models.BigIntegerField(_("first row"))
    last_row = models.BigIntegerField(_("last row"))
    count = models.BigIntegerField(_("rows"))
    leaves = models.BigIntegerField(_("rows that leave"))
    sha256 = models.CharField(_("digest of the rows"), max_length=64)
    staying_sha256 = models.CharField(_("digest of the rows that stay"), max_length=64)
    last_batch = models.BigIntegerField(_("last batch"))

    class Meta:
        verbose_name = _("retired rows")
        verbose_name_plural = _("retired rows")
        constraints = [
            models.UniqueConstraint(fields=["relation", "first_row"], name="retired_rows_once"),
            models.CheckConstraint(
                condition=Q(first_row__gte=1, last_row__gte=F("first_row"), count__gte=1),
                name="retired_rows_some",
            ),
            models.CheckConstraint(
                condition=Q(leaves__gte=0, leaves__lte=F("count")), name="retired_rows_leave"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.relation} {self.first_row}-{self.last_row}"

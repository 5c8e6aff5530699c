"""Store the double-entry ledger: accounts, and transfers of cents between them."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.kernel.money import MAX_CENTS
from core.ledger.titles import title_of
from core.receipts.document import present_language
from core.receipts.formats import format_cents


class Account(Guarded):
    """An account of the ledger. Its balance is the sum of its transfers, and no row has it.

    The sum begins with the newest opening (`OpeningBalance`).
    """

    class Side(models.TextChoices):
        """The side on which an account's balance normally stands."""

        DEBIT = "debit", _("Debit")
        CREDIT = "credit", _("Credit")

    code = models.CharField(_("code"), max_length=80, unique=True)
    side = models.CharField(_("side"), max_length=6, choices=Side.choices)
    opened_at = models.DateTimeField(_("opened at"))

    class Meta:
        verbose_name = _("account")
        verbose_name_plural = _("accounts")

    def __str__(self) -> str:
        return self.code


class Transfer(Guarded):
    """A movement of `amount_cents` from the account `credit` to the account `debit`.

    All transfers of one act share its `reference` and are numbered by `line`; the pair is unique,
    so an act cannot be posted twice. Transfers of a retired month leave the live store. From then
    on the act's own row, unique by its UUID, refuses it a second time.
    """

    retires = True

    reference = models.UUIDField(_("reference"))
    line = models.PositiveSmallIntegerField(_("line"))
    kind = models.CharField(_("kind"), max_length=40)
    debit = models.ForeignKey(
        Account,
        models.PROTECT,
        db_constraint=False,
        related_name="debits",
        verbose_name=_("debited account"),
    )
    credit = models.ForeignKey(
        Account,
        models.PROTECT,
        db_constraint=False,
        related_name="credits",
        verbose_name=_("credited account"),
    )
    amount_cents = models.BigIntegerField(_("amount"))
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("transfer")
        verbose_name_plural = _("transfers")
        constraints = [
            models.UniqueConstraint(fields=["reference", "line"], name="transfer_once"),
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="transfer_positive"),
            models.CheckConstraint(
                condition=Q(amount_cents__lte=MAX_CENTS), name="transfer_at_most"
            ),
            models.CheckConstraint(condition=~Q(debit=F("credit")), name="transfer_moves"),
        ]

    def __str__(self) -> str:
        cents = format_cents(self.amount_cents, present_language())
        return f"{title_of(self.kind)} · {cents}"


class OpeningBalance(Guarded):
    """The sums of an account's transfers up to the transfer `up_to`, in cents, and their number.

    Rows with one `up_to` are an opening: it has every account that had a transfer until then. All
    its transfers are from before `ends_at`, the end of a retired month (`core.ledger.openings`).
    """

    account = models.ForeignKey(
        Account,
        models.PROTECT,
        db_index=False,
        db_constraint=False,
        related_name="openings",
        verbose_name=_("account"),
    )
    up_to = models.BigIntegerField(_("last transfer"))
    ends_at = models.DateTimeField(_("end of the month"))
    debit_cents = models.BigIntegerField(_("debited"))
    credit_cents = models.BigIntegerField(_("credited"))
    transfers = models.BigIntegerField(_("transfers"))

    class Meta:
        verbose_name = _("opening balance")
        verbose_name_plural = _("opening balances")
        constraints = [
            models.UniqueConstraint(fields=["up_to", "account"], name="opening_balance_once"),
            models.CheckConstraint(
                condition=Q(debit_cents__gte=0, credit_cents__gte=0, transfers__gte=1),
                name="opening_balance_sums",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.account} · {self.up_to}"

    @property
    def balance_cents(self) -> int:
        """Return the balance on the account's normal side, in cents."""
        cents = self.debit_cents - self.credit_cents
        return cents if self.account.side == Account.Side.DEBIT else -cents

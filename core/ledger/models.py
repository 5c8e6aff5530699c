"""Store the double-entry ledger: accounts, and transfers of cents between them."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.kernel.money import MAX_CENTS
from core.ledger.blocks import ACCOUNTS
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
        # Another id would have no place in a block (core/ledger/blocks.py).
        constraints = [models.CheckConstraint(condition=Q(id__gt=0), name="account_has_place")]

    def __str__(self) -> str:
        return self.code

    def on_its_side(self, cents: int) -> int:
        """Return a balance, positive if debit, as one on the account's normal side, in cents."""
        return cents if self.side == Account.Side.DEBIT else -cents


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
    """The sums of accounts' transfers up to the transfer `up_to`, in cents, and their numbers.

    A row has the 64 accounts of a block (`core.ledger.blocks`); the view `ledger_opening` has a
    row for each account that had a transfer until then. Rows with one `up_to` are an opening. All
    its transfers are from before `ends_at`, the end of a retired month (`core.ledger.openings`).
    """

    block = models.BigIntegerField(_("block of accounts"))
    up_to = models.BigIntegerField(_("last transfer"))
    ends_at = models.DateTimeField(_("end of the month"))
    debits_cents = ArrayField(models.BigIntegerField(), verbose_name=_("debited"))
    credits_cents = ArrayField(models.BigIntegerField(), verbose_name=_("credited"))
    transfers = ArrayField(models.BigIntegerField(), verbose_name=_("transfers"))

    class Meta:
        verbose_name = _("opening balance")
        verbose_name_plural = _("opening balances")
        constraints = [
            models.UniqueConstraint(fields=["up_to", "block"], name="opening_balance_once"),
        ]

    def __str__(self) -> str:
        return f"{self.up_to} · {self.block}"

    def by_account(self) -> dict[int, tuple[int, int, int]]:
        """Return what is debited and credited in cents, and the number of transfers, by account."""
        sums = zip(self.debits_cents, self.credits_cents, self.transfers, strict=True)
        return {
            self.block * ACCOUNTS + position: each for position, each in enumerate(sums) if each[2]
        }

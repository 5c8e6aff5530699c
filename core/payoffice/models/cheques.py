"""Store nominative cheques."""

from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.payoffice.models.payments import Payee, Payment
from core.staff.models import Proposal, User

if TYPE_CHECKING:
    from core.payoffice.models.losses import VoidedChequePayment


class Cheque(Guarded):
    """A nominative cheque of the register (14.III.10.6).

    The digits of a number before its last six are the journal's lineage, so none is drawn again
    after a restore to an earlier time. Within a lineage numbers have no gaps.
    """

    PER_LINEAGE = 1_000_000

    class State(models.TextChoices):
        ISSUED = "issued", _("Issued")
        PRESENTED = "presented", _("Presented")
        VOIDED = "voided", _("Voided")

    mutable = ("state", "presented_on", "reconciled_at", "reconciled_by", "voiding", "void_reason")
    looks_recorded = True
    transitions = {"issued": ("presented", "voided")}

    number = models.PositiveIntegerField(_("number"), unique=True)
    payment = foreign_key(Payment, _("payment"), related_name="cheques")
    payee = foreign_key(Payee, _("payee"), related_name="cheques")
    amount_cents = models.BigIntegerField(_("amount"))
    state = models.CharField(_("state"), max_length=10, choices=State.choices)
    issued_at = models.DateTimeField(_("issued at"))
    replaces = models.OneToOneField(
        "self", models.PROTECT, null=True, related_name="replaced_by", verbose_name=_("replaces")
    )
    reissue = one_to_one(Proposal, _("proposal to reissue"), null=True)
    voiding = one_to_one(Proposal, _("proposal to void"), null=True)
    void_reason = models.CharField(_("reason of voiding"), max_length=200, blank=True)
    presented_on = models.DateField(_("presented on"), null=True)
    reconciled_at = models.DateTimeField(_("reconciled at"), null=True)
    reconciled_by = foreign_key(User, _("reconciled by"), null=True)

    class Meta:
        verbose_name = _("cheque")
        verbose_name_plural = _("cheques")
        constraints = [
            models.UniqueConstraint(
                fields=["payment"], condition=~Q(state="voided"), name="cheque_of_payment"
            ),
            models.CheckConstraint(condition=Q(number__gte=1), name="cheque_number"),
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="cheque_positive"),
            models.CheckConstraint(
                condition=Q(replaces=None, reissue=None)
                | Q(replaces__isnull=False, reissue__isnull=False),
                name="cheque_reissued_by_two",
            ),
            models.CheckConstraint(
                condition=Q(state="issued", presented_on=None, reconciled_by=None, voiding=None)
                | Q(
                    state="presented",
                    presented_on__isnull=False,
                    reconciled_at__isnull=False,
                    reconciled_by__isnull=False,
                    voiding=None,
                )
                | (
                    Q(state="voided", presented_on=None, voiding__isnull=False) & ~Q(void_reason="")
                ),
                name="cheque_state_whole",
            ),
        ]

    def __str__(self) -> str:
        return str(self.number)

    @property
    def bank_payment(self) -> "VoidedChequePayment | None":
        """Return the record, not taken back, that the bank paid the cheque although voided."""
        return next((each for each in self.bank_payments.all() if each.reversed_at is None), None)

    @property
    def still_lost_cents(self) -> int:
        """Return what the organiser lost by the cheque, less what was given back or written off."""
        paid = self.bank_payment
        entries = (*self.recoveries.all(), *self.write_offs.all())
        gone = sum(each.amount_cents for each in entries if each.reversed_at is None)
        return paid.lost_cents - gone if paid else 0

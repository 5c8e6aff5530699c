"""Store what the bank paid for voided cheques, and what becomes of the losses (ADR 69)."""

from typing import Any

from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.payoffice.models.cheques import Cheque
from core.staff.models import Proposal


class LossEntry(Guarded):
    """An entry about a voided cheque that the bank paid.

    It stays: a counter entry takes it back, once.
    """

    mutable = ("reversed_at", "reversal", "reversed_reason")

    uuid = models.UUIDField(_("UUID"), unique=True)
    amount_cents = models.BigIntegerField(_("amount"))
    proposal = one_to_one(Proposal, _("proposal"))
    recorded_at = models.DateTimeField(_("recorded at"))
    reversed_at = models.DateTimeField(_("taken back at"), null=True)
    reversal = one_to_one(Proposal, _("proposal to take back"), null=True)
    reversed_reason = models.CharField(_("reason of taking back"), max_length=200, blank=True)

    class Meta:
        abstract = True


def _sound(name: str) -> list[Any]:
    """Return the constraints on every entry: an amount, and a reversal that is whole."""
    return [
        models.CheckConstraint(condition=Q(amount_cents__gt=0), name=f"{name}_positive"),
        models.CheckConstraint(
            condition=Q(reversed_at=None, reversal=None, reversed_reason="")
            | (Q(reversed_at__isnull=False, reversal__isnull=False) & ~Q(reversed_reason="")),
            name=f"{name}_reversal_whole",
        ),
    ]


class VoidedChequePayment(LossEntry):
    """A voided cheque that the bank paid all the same, as two persons recorded it.

    SETTLED: the payee has the money, so no cheque is drawn for the payment any more. LOSS: another
    has it, and the organiser bears it; the payee still gets a cheque.
    """

    class Outcome(models.TextChoices):
        SETTLED = "settled", _("The payee has it: nothing is owed any more")
        LOSS = "loss", _("Another has it: the organiser bears it")

    cheque = foreign_key(Cheque, _("cheque"), related_name="bank_payments")
    presented_on = models.DateField(_("presented on"))
    outcome = models.CharField(_("who has the money"), max_length=10, choices=Outcome.choices)
    reason = models.CharField(_("reason"), max_length=200)

    class Meta:
        verbose_name = _("payment of a voided cheque")
        verbose_name_plural = _("payments of voided cheques")
        constraints = [
            *_sound("voided_payment"),
            models.UniqueConstraint(
                fields=["cheque"], condition=Q(reversed_at=None), name="voided_payment_once"
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="voided_payment_has_reason"),
        ]

    def __str__(self) -> str:
        return str(self.cheque)

    @property
    def lost_cents(self) -> int:
        return self.amount_cents if self.outcome == self.Outcome.LOSS else 0


class ChequeRecovery(LossEntry):
    """An amount that was given back of a loss by a voided cheque, as the bank credited it.

    A credit is recorded once: its reference names it, in capital or small letters. That of a
    reversed entry may be recorded again.
    """

    class Giver(models.TextChoices):
        PRESENTER = "presenter", _("Who presented the cheque")
        BANK = "bank", _("The bank")
        INSURER = "insurer", _("An insurer")
        OTHER = "other", _("Another")

    cheque = foreign_key(Cheque, _("cheque"), related_name="recoveries")
    credited_on = models.DateField(_("credited on"))
    reference = models.CharField(_("reference"), max_length=120)
    returned_by = models.CharField(_("given back by"), max_length=10, choices=Giver.choices)

    class Meta:
        verbose_name = _("recovery of a loss by cheque")
        verbose_name_plural = _("recoveries of losses by cheque")
        constraints = [
            *_sound("cheque_recovery"),
            models.UniqueConstraint(
                Upper("reference"), condition=Q(reversed_at=None), name="cheque_recovery_once"
            ),
            models.CheckConstraint(
                condition=~Q(reference=""), name="cheque_recovery_has_reference"
            ),
        ]

    def __str__(self) -> str:
        return self.reference


class ChequeWriteOff(LossEntry):
    """An amount of a loss by a voided cheque that nobody will give back."""

    cheque = foreign_key(Cheque, _("cheque"), related_name="write_offs")
    reason = models.CharField(_("reason"), max_length=200)

    class Meta:
        verbose_name = _("write-off of a loss by cheque")
        verbose_name_plural = _("write-offs of losses by cheque")
        constraints = [
            *_sound("cheque_write_off"),
            models.CheckConstraint(condition=~Q(reason=""), name="cheque_write_off_has_reason"),
        ]

    def __str__(self) -> str:
        return str(self.cheque)

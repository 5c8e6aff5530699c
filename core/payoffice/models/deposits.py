"""Store documents taken in for examination (14.III.10.3, 14.III.10.5) [C5, C7]."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.payoffice.models.claims import Acted, Claim, by_one
from core.payoffice.models.payments import Encrypted, purged_whole
from core.staff.models import User


class Deposit(Acted):
    """A document taken in against a receipt that shows its `uuid`, which the client makes."""

    class Reason(models.TextChoices):
        DAMAGED = "damaged", _("Torn or damaged")
        ALTERED = "altered", _("Crossed out, amended or manipulated")
        UNREADABLE = "unreadable", _("Its code cannot be read")
        UNVERIFIABLE = "unverifiable", _("Its marks cannot be checked")

    uuid = models.UUIDField(_("UUID"), unique=True)
    request_digest = models.BinaryField(max_length=32)
    reason = models.CharField(_("reason"), max_length=15, choices=Reason.choices)
    notes = models.CharField(_("notes"), max_length=1000, blank=True)
    deposited_at = models.DateTimeField(_("deposited at"))

    class Meta:
        verbose_name = _("deposit")
        verbose_name_plural = _("deposits")
        constraints = [by_one("deposit_by_one")]

    def __str__(self) -> str:
        return str(self.uuid)


class DepositImage(Encrypted):
    """A photograph of a deposited document, encrypted."""

    deposit = models.ForeignKey(
        Deposit, models.PROTECT, related_name="images", verbose_name=_("deposit")
    )
    media_type = models.CharField(_("kind"), max_length=20)
    added_at = models.DateTimeField(_("added at"))

    class Meta:
        verbose_name = _("image of a deposit")
        verbose_name_plural = _("images of deposits")
        constraints = [
            purged_whole("deposit_image_purged_whole"),
            models.CheckConstraint(
                condition=Q(media_type__in=["image/jpeg", "image/png"]), name="deposit_image_kind"
            ),
        ]

    def __str__(self) -> str:
        return str(self.uuid)


class DepositMatch(Guarded):
    """The claim that a deposited document is; from here on its money is held for the bearer.

    `staff` is the person who found it in the records; None where its code was read at the deposit.
    """

    deposit = models.OneToOneField(
        Deposit, models.PROTECT, related_name="match", verbose_name=_("deposit")
    )
    claim = models.OneToOneField(
        Claim, models.PROTECT, related_name="deposit_match", verbose_name=_("claim")
    )
    evidence = models.CharField(_("evidence"), max_length=400, blank=True)
    staff = models.ForeignKey(
        User, models.PROTECT, null=True, related_name="+", verbose_name=_("member of staff")
    )
    matched_at = models.DateTimeField(_("matched at"))

    class Meta:
        verbose_name = _("match of a deposit")
        verbose_name_plural = _("matches of deposits")
        constraints = [
            models.CheckConstraint(
                condition=Q(staff=None) | ~Q(evidence=""), name="deposit_match_has_evidence"
            )
        ]

    def __str__(self) -> str:
        return str(self.deposit)

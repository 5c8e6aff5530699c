"""Store documents taken in for examination (14.III.10.3, 14.III.10.5) [C5, C7]."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.ledger.models import Account
from core.payoffice.models.claims import Acted, Claim, by_one
from core.payoffice.models.payments import Encrypted, purged_whole
from core.premises.models import Premises
from core.staff.models import User


class Deposit(Acted):
    """A document taken in against a receipt that shows its `uuid`, which the client makes."""

    looks_recorded = True

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


class DepositArrival(Guarded):
    """The arrival of a deposited paper at an office, from where it was taken in or kept before."""

    deposit = foreign_key(Deposit, _("deposit"), related_name="arrivals")
    premises = foreign_key(Premises, _("premises"), db_index=False)
    staff = foreign_key(User, _("member of staff"), db_index=False)
    arrived_at = models.DateTimeField(_("arrived at"))

    class Meta:
        verbose_name = _("arrival of a deposited paper")
        verbose_name_plural = _("arrivals of deposited papers")

    def __str__(self) -> str:
        return f"{self.deposit} · {self.premises}"


class DepositImage(Encrypted):
    """A photograph of a deposited document, encrypted."""

    deposit = foreign_key(Deposit, _("deposit"), related_name="images")
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
    A claim has one of each kind at most: that person may err, and then the document itself is
    deposited beside the paper that was matched with it [C5].
    """

    deposit = one_to_one(Deposit, _("deposit"), related_name="match")
    claim = foreign_key(Claim, _("claim"), related_name="deposit_matches")
    evidence = models.CharField(_("evidence"), max_length=400, blank=True)
    staff = foreign_key(User, _("member of staff"), null=True)
    matched_at = models.DateTimeField(_("matched at"))

    class Meta:
        verbose_name = _("match of a deposit")
        verbose_name_plural = _("matches of deposits")
        constraints = [
            models.CheckConstraint(
                condition=Q(staff=None) | ~Q(evidence=""), name="deposit_match_has_evidence"
            ),
            models.UniqueConstraint(
                fields=["claim"], condition=Q(staff=None), name="deposit_match_by_code"
            ),
            models.UniqueConstraint(
                fields=["claim"],
                condition=Q(staff__isnull=False),
                name="deposit_match_from_records",
            ),
        ]

    def __str__(self) -> str:
        return str(self.deposit)


class Restoration(Guarded):
    """Money that came back for a document deposited in time and identified after its lapse [C8].

    `lapsed_day` is the day with which its claim had lapsed. `taken_from` is the account that the
    money came from: the lapsed prizes, or the organiser's own account if a settlement had put the
    lapsed prizes into a later 7/7.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    match = one_to_one(DepositMatch, _("match"), related_name="restoration")
    claim = one_to_one(Claim, _("claim"), related_name="restoration")
    lapsed_day = models.DateField(_("lapsed with the day"))
    taken_from = foreign_key(Account, _("taken from"), db_index=False)
    cents = models.BigIntegerField(_("amount"))
    restored_at = models.DateTimeField(_("restored at"))

    class Meta:
        verbose_name = _("restoration of lapsed money")
        verbose_name_plural = _("restorations of lapsed money")
        constraints = [
            models.CheckConstraint(condition=Q(cents__gt=0), name="restoration_positive")
        ]

    def __str__(self) -> str:
        return str(self.claim)

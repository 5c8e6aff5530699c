"""Store payments, the payees that they name, and the cash ceilings."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one, unlocked_key
from core.kernel.regulation import Means, Place
from core.payoffice.models.cash import CashSession
from core.payoffice.models.claims import Acted, Claim
from core.premises.models import Operator, OperatorSession, Premises, Terminal
from core.staff.models import Proposal, User

SECOND_PERSON_AT_LATEST_CENTS = 300_00
"""From here on the database needs a second person for a payment; a setting may say less."""

PLACES = [
    (Place.ESTABLISHMENT.value, _("Establishment")),
    (Place.CENTRAL_OFFICE.value, _("Central Prize Payment Office")),
    (Place.AUTHORISED_ENTITY.value, _("Authorised entity")),
]
MEANS = [
    (Means.CASH.value, _("Cash")),
    (Means.NOMINATIVE_CHEQUE.value, _("Nominative cheque")),
]


class Encrypted(Guarded):
    """Personal data that `core.database.encryption` encrypts; erased when its time is over."""

    mutable = ("encrypted", "purged_at")
    looks_recorded = True

    uuid = models.UUIDField(_("UUID"), unique=True)
    encrypted = models.BinaryField(null=True)
    kept_until = models.DateField(_("kept until"))
    purged_at = models.DateTimeField(_("erased at"), null=True)

    class Meta:
        abstract = True

    def seen_as(self) -> tuple[str, object]:
        return self._meta.label_lower, self.uuid


def purged_whole(name: str) -> models.CheckConstraint:
    """Return the constraint that content is either encrypted or purged."""
    return models.CheckConstraint(
        condition=Q(encrypted__isnull=False, purged_at=None)
        | Q(encrypted=None, purged_at__isnull=False),
        name=name,
    )


class Payee(Encrypted):
    """The person a nominative cheque names: name and identity document, encrypted [C3].

    `like_user` or `like_operator` has the same name, as it was compared when this was encrypted.
    """

    like_user = foreign_key(User, _("named like the member of staff"), null=True, db_index=False)
    like_operator = foreign_key(Operator, _("named like the operator"), null=True, db_index=False)
    recorded_at = models.DateTimeField(_("recorded at"))

    class Meta:
        verbose_name = _("payee")
        verbose_name_plural = _("payees")
        constraints = [purged_whole("payee_purged_whole")]

    def __str__(self) -> str:
        return str(self.uuid)


class Payment(Acted):
    """A claim paid once, to the bearer, against the document (14.III.10.3, 14.III.10.4).

    The client makes `uuid`; `request_digest` is a keyed digest of its request, which tells a retry
    from a reuse of the UUID. From a configured amount on two persons pay: another operator's
    session at a terminal, a confirmed proposal at a desk.
    """

    retires = True
    looks_recorded = True

    uuid = models.UUIDField(_("UUID"), unique=True)
    request_digest = models.BinaryField(max_length=32)
    claim = one_to_one(Claim, _("claim"), related_name="payment", db_constraint=False)
    paid_at = models.DateTimeField(_("paid at"))
    amount_cents = models.BigIntegerField(_("amount"))
    means = models.CharField(_("means"), max_length=20, choices=MEANS)
    place = models.CharField(_("place"), max_length=20, choices=PLACES)
    premises = unlocked_key(Premises, _("premises"))
    terminal = unlocked_key(Terminal, _("terminal"), null=True)
    operator = unlocked_key(Operator, _("operator"), null=True)
    session = unlocked_key(OperatorSession, _("session"), null=True)
    second_operator = foreign_key(Operator, _("second operator"), null=True, db_index=False)
    second_session = foreign_key(OperatorSession, _("second session"), null=True, db_index=False)
    cash_session = foreign_key(
        CashSession, _("cash session"), related_name="payments", null=True, db_index=False
    )
    payee = foreign_key(Payee, _("payee"), null=True, db_index=False)
    proposal = foreign_key(Proposal, _("proposal"), null=True, db_index=False)

    class Meta:
        verbose_name = _("payment")
        verbose_name_plural = _("payments")
        indexes = [
            models.Index(fields=["premises", "paid_at"], name="payment_of_premises"),
            models.Index(
                fields=["cash_session"],
                name="payment_of_cash_session",
                condition=~Q(cash_session=None),
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["proposal"], condition=~Q(proposal=None), name="payment_of_proposal"
            ),
            models.UniqueConstraint(
                fields=["payee"], condition=~Q(payee=None), name="payment_of_payee"
            ),
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="payment_positive"),
            models.CheckConstraint(
                condition=Q(
                    terminal__isnull=False,
                    operator__isnull=False,
                    session__isnull=False,
                    staff=None,
                    cash_session=None,
                    proposal=None,
                )
                | Q(
                    terminal=None,
                    operator=None,
                    session=None,
                    second_operator=None,
                    second_session=None,
                    staff__isnull=False,
                    cash_session__isnull=False,
                ),
                name="payment_by_one",
            ),
            models.CheckConstraint(
                condition=Q(second_operator=None, second_session=None)
                | (
                    Q(second_operator__isnull=False, second_session__isnull=False)
                    & ~Q(second_operator=F("operator"))
                    & ~Q(second_session=F("session"))
                ),
                name="payment_second_is_another",
            ),
            models.CheckConstraint(
                condition=Q(amount_cents__lt=SECOND_PERSON_AT_LATEST_CENTS)
                | Q(proposal__isnull=False)
                | Q(second_operator__isnull=False),
                name="payment_large_by_two",
            ),
            models.CheckConstraint(
                condition=Q(means=Means.CASH.value, payee=None)
                | Q(means=Means.NOMINATIVE_CHEQUE.value, payee__isnull=False),
                name="payment_payee_of_cheque",
            ),
        ]

    def __str__(self) -> str:
        return str(self.uuid)

    def seen_as(self) -> tuple[str, object]:
        return self.claim.seen_as()


class CashCeiling(Guarded):
    """The ceiling of cash payments that later law sets from a day on [C3], in inclusive cents."""

    in_force_from = models.DateField(_("in force from"), unique=True)
    cents = models.BigIntegerField(_("amount"))
    source = models.CharField(_("source"), max_length=200)
    proposal = one_to_one(Proposal, _("proposal"))
    recorded_at = models.DateTimeField(_("recorded at"))

    class Meta:
        verbose_name = _("cash ceiling")
        verbose_name_plural = _("cash ceilings")
        constraints = [
            models.CheckConstraint(condition=Q(cents__gt=0), name="cash_ceiling_positive"),
            models.CheckConstraint(condition=~Q(source=""), name="cash_ceiling_has_source"),
        ]

    def __str__(self) -> str:
        return str(self.in_force_from)

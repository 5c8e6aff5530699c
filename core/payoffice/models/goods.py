"""Store the stock of prizes in kind, and the exchanges for them (15.III.6.5) [P4]."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one
from core.payoffice.models.claims import Acted, Claim, by_one
from core.payoffice.models.payments import SECOND_PERSON_AT_LATEST_CENTS
from core.premises.models import Premises
from core.staff.models import Proposal, User


class StockItem(Guarded):
    """A kind of thing that can be won, under its game's name for it.

    `unit_cents` is the value of a unit in the books; two persons correct it (`StockCorrection`).
    The equivalent of a prize belongs to the emission that promises it, whatever the thing is worth
    in stock (15.III.6.5) [P21].
    """

    mutable = ("unit_cents",)

    code = models.CharField(_("code"), max_length=80, unique=True)
    description = models.CharField(_("description"), max_length=200)
    unit_cents = models.BigIntegerField(_("value of a unit"))
    recorded_at = models.DateTimeField(_("recorded at"))

    class Meta:
        verbose_name = _("prize in stock")
        verbose_name_plural = _("prizes in stock")
        constraints = [
            models.CheckConstraint(condition=Q(unit_cents__gt=0), name="stock_unit_value")
        ]

    def __str__(self) -> str:
        return self.code


class Exchange(Acted):
    """A document exchanged for the paper that entitles to the thing.

    `uuid` is the number of that paper. `amount_cents` is that of the claim, `unit_cents` what the
    unit was worth in the books: where either is 300.00 or more, two persons exchange, as they pay.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    request_digest = models.BinaryField(max_length=32)
    claim = one_to_one(Claim, _("claim"), related_name="exchange")
    item = foreign_key(StockItem, _("thing"), related_name="exchanges")
    exchanged_at = models.DateTimeField(_("exchanged at"))
    amount_cents = models.BigIntegerField(_("amount"))
    unit_cents = models.BigIntegerField(_("value of the unit"))
    proposal = one_to_one(Proposal, _("proposal"), null=True)

    class Meta:
        verbose_name = _("exchange for a prize in kind")
        verbose_name_plural = _("exchanges for prizes in kind")
        constraints = [
            by_one("exchange_by_one"),
            models.CheckConstraint(
                condition=Q(
                    amount_cents__lt=SECOND_PERSON_AT_LATEST_CENTS,
                    unit_cents__lt=SECOND_PERSON_AT_LATEST_CENTS,
                )
                | Q(proposal__isnull=False),
                name="exchange_large_by_two",
            ),
        ]

    def __str__(self) -> str:
        return str(self.uuid)


class StockMovement(Guarded):
    """Units of a thing that came in (positive) or went out. The stock is their sum.

    The sum is never negative at any place. A unit that went out with an exchange names it. Other
    units come in and go out by the word of two persons.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    item = foreign_key(StockItem, _("thing"), related_name="movements")
    units = models.IntegerField(_("units"))
    premises = foreign_key(Premises, _("premises"), db_index=False)
    reason = models.CharField(_("reason"), max_length=200)
    exchange = one_to_one(Exchange, _("exchange"), related_name="movement", null=True)
    proposal = one_to_one(Proposal, _("proposal"), null=True)
    staff = foreign_key(User, _("member of staff"), db_index=False)
    moved_at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("stock movement")
        verbose_name_plural = _("stock movements")
        constraints = [
            models.CheckConstraint(condition=~Q(units=0), name="stock_movement_moves"),
            models.CheckConstraint(
                condition=Q(exchange=None) | Q(exchange__isnull=False, units=-1),
                name="stock_movement_of_exchange",
            ),
            models.CheckConstraint(
                condition=Q(exchange__isnull=False, proposal=None)
                | Q(exchange=None, proposal__isnull=False),
                name="stock_moved_by_two",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.item} {self.units:+d}"


class StockCorrection(Guarded):
    """The value of a thing that was registered wrongly, put right by two persons (ADR 93).

    `units` came in by the word of two persons, less those that went out so; `handed_over` of them
    left with exchanges. The books are moved to where they would be if the thing had been registered
    with `to_cents`. What was posted before stays.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    item = foreign_key(StockItem, _("thing"), related_name="corrections")
    from_cents = models.BigIntegerField(_("value before"))
    to_cents = models.BigIntegerField(_("value from now on"))
    units = models.BigIntegerField(_("units that came in"))
    handed_over = models.BigIntegerField(_("units handed over"))
    reason = models.CharField(_("reason"), max_length=200)
    proposal = one_to_one(Proposal, _("proposal"))
    corrected_at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("correction of a value")
        verbose_name_plural = _("corrections of values")
        constraints = [
            models.CheckConstraint(
                condition=Q(to_cents__gt=0) & ~Q(to_cents=F("from_cents")),
                name="stock_correction_corrects",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="stock_correction_has_reason"),
        ]

    def __str__(self) -> str:
        return str(self.item)

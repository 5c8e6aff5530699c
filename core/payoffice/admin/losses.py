"""Offer in the admin the acts about voided cheques that the bank paid, and about their losses."""

from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.forms import ActForm, DayField, EurosField
from core.payoffice import powers
from core.payoffice.admin.acts import Bank, Why
from core.payoffice.models import (
    Cheque,
    ChequeRecovery,
    ChequeWriteOff,
    LossEntry,
    VoidedChequePayment,
)
from core.payoffice.services import cheques, recovering
from core.staff.actor import StaffActor

Data = dict[str, Any]


class _BankAllTheSame(Bank):
    outcome = forms.ChoiceField(
        label=_("Who has the money"), choices=VoidedChequePayment.Outcome.choices
    )
    reason = forms.CharField(label=_("Reason"), max_length=200)


class _GivenBack(ActForm):
    amount_cents = EurosField(label=_("Amount given back"), min_value=Decimal("0.01"))
    credited_on = DayField(label=_("Credited by the bank on"))
    reference = forms.CharField(label=_("The bank's reference of the credit"), max_length=120)
    returned_by = forms.ChoiceField(label=_("Given back by"), choices=ChequeRecovery.Giver.choices)


class _WrittenOff(Why):
    amount_cents = EurosField(label=_("Amount written off"), min_value=Decimal("0.01"))


class LossFilter(admin.SimpleListFilter):
    title = _("loss")
    parameter_name = "loss"

    def lookups(self, request: HttpRequest, page: Any) -> list[tuple[str, Any]]:
        return [("open", _("still lost"))]

    def queryset(self, request: HttpRequest, rows: QuerySet[Cheque]) -> QuerySet[Cheque]:
        if self.value() != "open":
            return rows
        loss = VoidedChequePayment.Outcome.LOSS
        lost = Cheque.objects.filter(bank_payments__outcome=loss, bank_payments__reversed_at=None)
        gone = _standing(ChequeRecovery) + _standing(ChequeWriteOff)
        lost = lost.filter(amount_cents__gt=gone)
        return rows.filter(pk__in=lost.values("pk"))


def _standing(model: type[ChequeRecovery] | type[ChequeWriteOff]) -> Coalesce:
    """Return the sum of the entries of a cheque that were not taken back."""
    own = model.objects.filter(cheque=OuterRef("pk"), reversed_at=None)
    sums = own.values("cheque").annotate(cents=Sum("amount_cents")).values("cents")
    return Coalesce(Subquery(sums), 0)


class TakenBackFilter(admin.SimpleListFilter):
    title = _("taken back")
    parameter_name = "taken_back"

    def lookups(self, request: HttpRequest, page: Any) -> list[tuple[str, Any]]:
        return [("no", _("No")), ("yes", _("Yes"))]

    def queryset(self, request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        stands = {"no": True, "yes": False}.get(self.value() or "")
        return rows if stands is None else rows.filter(reversed_at__isnull=stands)


def _bank_paid(by: StaffActor, target: Cheque, data: Data) -> Done:
    cheques.voided_cheque_paid(by=by, number=target.number, **data)
    return Done(PROPOSED, target)


def _given_back(by: StaffActor, target: Cheque, data: Data) -> Done:
    recovering.loss_recover(by=by, number=target.number, **data)
    return Done(PROPOSED, target)


def _write_off(by: StaffActor, target: Cheque, data: Data) -> Done:
    recovering.loss_write_off(by=by, number=target.number, **data)
    return Done(PROPOSED, target)


def _take_back(by: StaffActor, target: LossEntry, data: Data) -> Done:
    recovering.loss_entry_reverse(by=by, entry=target.uuid, **data)
    return Done(PROPOSED, target)


BANK_PAID = Act(
    name="bank-paid",
    title=_("Paid by the bank all the same"),
    power=powers.ISSUE_CHEQUES,
    run=_bank_paid,
    form=_BankAllTheSame,
    icon="report",
    danger=True,
    text=_("A second person confirms it. Then it is in the books as the bank has it."),
    offered=lambda by, target: target.state == Cheque.State.VOIDED and target.bank_payment is None,
)
GIVEN_BACK = Act(
    name="given-back",
    title=_("Loss given back"),
    power=powers.ISSUE_CHEQUES,
    run=_given_back,
    form=_GivenBack,
    icon="undo",
    text=_("All or a part of the loss, as the bank credited it. A second person confirms it."),
    offered=lambda by, target: target.still_lost_cents > 0,
)
WRITE_OFF = Act(
    name="write-off",
    title=_("Write off"),
    power=powers.ISSUE_CHEQUES,
    run=_write_off,
    form=_WrittenOff,
    icon="money_off",
    danger=True,
    text=_(
        "What nobody will give back. An organiser confirms it; it is then the organiser's cost."
    ),
    offered=lambda by, target: target.still_lost_cents > 0,
)
TAKE_BACK = Act(
    name="take-back",
    title=_("Take back"),
    power=powers.ISSUE_CHEQUES,
    run=_take_back,
    form=Why,
    icon="undo",
    danger=True,
    text=_("A second person confirms it. The entry stays on record, with a counter entry."),
    offered=lambda by, target: target.reversed_at is None,
)

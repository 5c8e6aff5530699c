"""Offer the office's acts in the admin; each calls the service that does it."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.forms import ActForm, DayField, EurosField
from core.payoffice import powers
from core.payoffice.admin.closing import CountForm
from core.payoffice.models import (
    CashMovement,
    CashSession,
    Cheque,
    Claim,
    Deposit,
    Ruling,
    StockItem,
)
from core.payoffice.services import (
    cash,
    cheques,
    deposits,
    finding,
    goods,
    matching,
    ruling,
    stock_values,
)
from core.payoffice.services.personal_data import PayeeFacts
from core.premises.models import Game, Premises
from core.staff.actor import StaffActor

Data = dict[str, Any]
_DOCUMENT_KINDS = [
    ("", _("As on the voided cheque")),
    ("dni", _("DNI")),
    ("nie", _("NIE")),
    ("passport", _("Passport")),
    ("other", _("Other")),
]


class Why(ActForm):
    reason = forms.CharField(label=_("Reason"), max_length=200)


class _Verdict(ActForm):
    verdict = forms.ChoiceField(label=_("Decision"), choices=Ruling.Verdict.choices)
    reason = forms.CharField(label=_("Reason"), max_length=400, widget=forms.Textarea)


class _Matched(ActForm):
    game = forms.ChoiceField(label=_("Game"), choices=Game.choices)
    document = forms.UUIDField(label=_("UUID of the ticket or voucher, from the records"))
    evidence = forms.CharField(label=_("Evidence"), max_length=400, widget=forms.Textarea)


class _Arrived(ActForm):
    premises = forms.ModelChoiceField(
        label=_("Office"), queryset=Premises.objects.filter(kind__in=cash.OFFICES)
    )


class Bank(ActForm):
    amount_cents = EurosField(label=_("Amount paid by the bank"))
    presented_on = DayField(label=_("Presented on"))


class _Payee(ActForm):
    name = forms.CharField(label=_("Name of the payee"), max_length=120, required=False)
    document_kind = forms.ChoiceField(
        label=_("Kind of document"), choices=_DOCUMENT_KINDS, required=False
    )
    document_number = forms.CharField(
        label=_("Number of the document"), max_length=40, required=False
    )

    def clean(self) -> Data:
        data: Data = super().clean() or {}
        if any(data.values()) and not all(data.values()):
            raise forms.ValidationError(
                _("Name the payee with name, kind and number of document, or leave all empty.")
            )
        return data


class _Open(ActForm):
    premises = forms.ModelChoiceField(
        label=_("Office"), queryset=Premises.objects.filter(kind__in=cash.OFFICES)
    )
    float_cents = EurosField(label=_("Float"), min_value=0)


class _Move(ActForm):
    cents = EurosField(
        label=_("Amount"),
        help_text=_(
            "Positive: brought. Negative: taken away; the person who receives it confirms."
        ),
    )
    reason = forms.CharField(label=_("Reason"), max_length=200)


class _Item(ActForm):
    code = forms.CharField(label=_("Code"), max_length=80, help_text=_("As the game names it."))
    description = forms.CharField(label=_("Description"), max_length=200)
    unit_cents = EurosField(label=_("Value of a unit"), min_value=Decimal("0.01"))


class _Value(ActForm):
    unit_cents = EurosField(label=_("Right value of a unit"), min_value=Decimal("0.01"))
    reason = forms.CharField(label=_("Reason"), max_length=200)


class _Units(ActForm):
    premises = forms.ModelChoiceField(
        label=_("Office"), queryset=Premises.objects.filter(kind__in=cash.OFFICES)
    )
    units = forms.IntegerField(
        label=_("Units"), help_text=_("Units that come in; negative: they go out.")
    )
    reason = forms.CharField(label=_("Reason"), max_length=200)


class _Ceiling(ActForm):
    in_force_from = DayField(label=_("In force from"))
    cents = EurosField(label=_("Ceiling of payments in cash"), min_value=0)
    source = forms.CharField(label=_("Source"), max_length=200)


def _rule_claim(by: StaffActor, target: Claim, data: Data) -> Done:
    document = finding.by_claim(target).uuid
    ruling.ruling_propose(by=by, game=target.game, document=document, **data)
    return Done(PROPOSED, target)


def _rule_deposit(by: StaffActor, target: Deposit, data: Data) -> Done:
    ruling.ruling_propose(by=by, deposit=target.uuid, **data)
    return Done(PROPOSED, target)


def _match(by: StaffActor, target: Deposit, data: Data) -> Done:
    matching.deposit_match(by=by, deposit=target.uuid, **data)
    return Done(_("The deposit is matched; its money is held."), target)


def _arrive(by: StaffActor, target: Deposit, data: Data) -> Done:
    deposits.deposit_arrive(by=by, deposit=target.uuid, premises=data["premises"].code)
    return Done(_("It is on record where the paper is."), target)


def _void(by: StaffActor, target: Cheque, data: Data) -> Done:
    cheques.cheque_void(by=by, number=target.number, **data)
    return Done(PROPOSED, target)


def _reissue(by: StaffActor, target: Cheque, data: Data) -> Done:
    payee = PayeeFacts(**data) if data["name"] else None
    cheques.cheque_reissue(by=by, number=target.number, payee=payee)
    return Done(PROPOSED, target)


def _reconcile(by: StaffActor, target: Cheque, data: Data) -> Done:
    cheques.cheque_reconcile(by=by, number=target.number, **data)
    return Done(_("The cheque is reconciled."), target)


def _open_cash(by: StaffActor, target: None, data: Data) -> Done:
    session = cash.cash_open(by=by, premises=data["premises"].code, float_cents=data["float_cents"])
    return Done(_("The cash session is open."), session)


def _move_cash(by: StaffActor, target: CashSession, data: Data) -> Done:
    if isinstance(cash.cash_move(by=by, **data), CashMovement):
        return Done(_("The movement is on record."), target)
    words = _(
        "Proposed. The cash counts as in the drawer until the person who receives it confirms."
    )
    return Done(words, target)


def _close_cash(by: StaffActor, target: CashSession, data: Data) -> Done:
    counting = {name: data[name] for name in ("count", "reason", "words")}
    cash.cash_close(by=by, session=target.uuid, **counting)
    words = _(
        "Counted. Seal the cash: you answer for it until the person who receives it confirms."
    )
    return Done(words, target)


def _register_item(by: StaffActor, target: None, data: Data) -> Done:
    return Done(_("The thing is on record."), goods.stock_register(by=by, **data))


def _move_stock(by: StaffActor, target: StockItem, data: Data) -> Done:
    goods.stock_move(by=by, item=target.code, premises=data.pop("premises").code, **data)
    return Done(PROPOSED, target)


def _correct_value(by: StaffActor, target: StockItem, data: Data) -> Done:
    stock_values.stock_correct(by=by, item=target.code, **data)
    return Done(PROPOSED, target)


def _ceiling(by: StaffActor, target: None, data: Data) -> Done:
    cheques.ceiling_propose(by=by, **data)
    return Done(PROPOSED)


def _undecided(by: StaffActor, target: Deposit) -> bool:
    return not hasattr(target, "ruling") and not hasattr(
        target.match.claim if hasattr(target, "match") else target, "ruling"
    )


RULE_CLAIM = Act(
    name="rule",
    title=_("Decide"),
    power=powers.RULE_ON_DEPOSIT,
    run=_rule_claim,
    form=_Verdict,
    icon="gavel",
    text=_("A second person decides; not before the period of payment is over."),
    offered=lambda by, target: target.state == Claim.State.HELD,
)
RULE_DEPOSIT = Act(
    name="rule",
    title=_("Decide"),
    power=powers.RULE_ON_DEPOSIT,
    run=_rule_deposit,
    form=_Verdict,
    icon="gavel",
    text=_("A second person decides; not before the period of payment is over."),
    offered=_undecided,
)
MATCH = Act(
    name="match",
    title=_("Match"),
    power=powers.MATCH_DEPOSIT,
    run=_match,
    form=_Matched,
    icon="link",
    text=_("From here on the money is held for the person who has the receipt."),
    offered=lambda by, target: not hasattr(target, "match") and not hasattr(target, "ruling"),
)
ARRIVE = Act(
    name="arrive",
    title=_("The paper arrived"),
    power=powers.TAKE_DEPOSIT,
    run=_arrive,
    form=_Arrived,
    icon="move_to_inbox",
)
VOID = Act(
    name="void",
    title=_("Void the cheque"),
    power=powers.ISSUE_CHEQUES,
    run=_void,
    form=Why,
    icon="block",
    danger=True,
    offered=lambda by, target: target.state == Cheque.State.ISSUED,
)
REISSUE = Act(
    name="reissue",
    title=_("Reissue"),
    power=powers.ISSUE_CHEQUES,
    run=_reissue,
    form=_Payee,
    icon="autorenew",
    text=_("To the same payee, unless you name one. One whose data were erased is named again."),
    offered=lambda by, target: (
        target.state == Cheque.State.VOIDED and not hasattr(target, "replaced_by")
    ),
)
RECONCILE = Act(
    name="reconcile",
    title=_("Presented at the bank"),
    power=powers.ISSUE_CHEQUES,
    run=_reconcile,
    form=Bank,
    icon="account_balance",
    offered=lambda by, target: target.state == Cheque.State.ISSUED,
)
OPEN_CASH = Act(
    name="open",
    title=_("Open a cash session"),
    power=powers.KEEP_CASH,
    run=_open_cash,
    form=_Open,
    icon="point_of_sale",
)
MOVE_CASH = Act(
    name="move",
    title=_("Bring or take cash"),
    power=powers.KEEP_CASH,
    run=_move_cash,
    form=_Move,
    icon="swap_vert",
    offered=lambda by, target: target.closed_at is None and target.cashier_id == by.user_id,
)
CLOSE_CASH = Act(
    name="close",
    title=_("Close by count"),
    power=powers.KEEP_CASH,
    run=_close_cash,
    form=CountForm,
    icon="lock",
    text=_("Count the notes and coins in the drawer. Who receives them confirms it."),
    offered=lambda by, target: target.closed_at is None,
)
REGISTER_ITEM = Act(
    name="register",
    title=_("Register a thing"),
    power=powers.KEEP_STOCK,
    run=_register_item,
    form=_Item,
    icon="add",
)
MOVE_STOCK = Act(
    name="move",
    title=_("Take in or correct"),
    power=powers.KEEP_STOCK,
    run=_move_stock,
    form=_Units,
    icon="inventory",
    text=_("Who confirms it has counted them."),
)
CORRECT_VALUE = Act(
    name="correct",
    title=_("Correct the value"),
    power=powers.KEEP_STOCK,
    run=_correct_value,
    form=_Value,
    icon="edit",
    text=_("The books are put right for every unit that came in. Another person confirms."),
)
CEILING = Act(
    name="propose",
    title=_("Propose a cash ceiling"),
    power=powers.SET_CASH_CEILING,
    run=_ceiling,
    form=_Ceiling,
    icon="add",
)

"""The office's desk: one box to scan, what the document is in large words, what this person may do.

It works without a mouse: the box has the focus, then the likeliest act. Every act is done by the
services that the API has, under a UUID made when the document was shown: sending it twice does it
once. A code is in the page only, never in an address or a log.
"""

import dataclasses
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from core.admin_support import signed_on
from core.admin_support.acts import Refusal
from core.admin_support.columns import link, moment, money
from core.admin_support.contents import Keep, Page
from core.api.problems import domain_error
from core.database import clock
from core.kernel.days import day_bounds, natural_day
from core.kernel.errors import DomainError
from core.kernel.regulation import Means
from core.payoffice import powers, selectors
from core.payoffice.admin.acts import OPEN_CASH
from core.payoffice.models import CashSession, Deposit, Payment
from core.payoffice.services import checking, deposits, desk, goods, presenting, slips
from core.payoffice.services.checking import DeskAction, DeskState
from core.payoffice.services.paying import Paid, PayRequest
from core.payoffice.services.personal_data import PayeeFacts
from core.receipts.document import LANGUAGES
from core.receipts.output import Output, render
from core.receipts.pdf import Paper
from core.staff.actor import StaffActor
from core.staff.models import Proposal

STATES = {
    "sold": (_("Not decided yet"), "info"),
    "void": (_("Void"), "bad"),
    "no_prize": (_("No prize"), "info"),
    "prize": (_("Prize"), "good"),
    "refund_due": (_("Price to be given back"), "good"),
    "presented": (_("Presented, not paid yet"), "warn"),
    "deposited": (_("Being checked"), "warn"),
    "barred": (_("Held apart"), "warn"),
    "granted": (_("Granted: paid against its receipt"), "good"),
    "paid": (_("Already paid"), "bad"),
    "exchanged": (_("Already exchanged"), "bad"),
    "lapsed": (_("Lapsed"), "bad"),
    "refused": (_("Not paid, by decision"), "bad"),
}
_HAPPENED = {
    "presented": _("Presented"),
    "deposited": _("Deposited"),
    "paid": _("Paid"),
    "exchanged": _("Exchanged"),
    "lapsed": _("Lapsed"),
    "granted": _("Granted"),
    "refused": _("Refused"),
}
_KINDS = (("dni", "DNI"), ("nie", "NIE"), ("passport", _("Passport")), ("other", _("Other")))
_QUEUE = 12
_RECEIPTS: dict[str, Callable[[StaffActor, UUID, str], Any]] = {
    "payment": lambda by, ident, language: slips.payment_receipt(
        selectors.payment(at=by, ident=ident), language
    ),
    "presentation": lambda by, ident, language: slips.presentation_receipt(
        selectors.presentation(at=by, ident=ident), language
    ),
    "deposit": lambda by, ident, language: slips.deposit_receipt(
        deposits.deposit_seen(at=by, ident=ident), language
    ),
    "exchange": lambda by, ident, language: slips.exchange_document(
        selectors.exchange(by=by, ident=ident), language
    ),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Happened:
    """What came of an act: words, a colour, and the paper that goes with it."""

    said: Any
    tone: str = "good"
    paper: str = ""
    detail: Any = ""


class _Asked(forms.Form):
    """What the desk is asked; which of it is needed, the act says."""

    code = forms.CharField(max_length=96)
    act = forms.ChoiceField(required=False, choices=[("", ""), *DeskAction.choices])
    uuid = forms.UUIDField(required=False)
    amount_cents = forms.IntegerField(required=False)
    intact = forms.BooleanField(required=False)
    payee_name = forms.CharField(max_length=120, required=False)
    payee_kind = forms.ChoiceField(choices=_KINDS, required=False)
    payee_number = forms.CharField(max_length=40, required=False)
    reason = forms.ChoiceField(choices=Deposit.Reason.choices, required=False)
    notes = forms.CharField(max_length=1000, required=False)


def _pay(by: StaffActor, asked: dict[str, Any]) -> Happened:
    payee = None
    if asked["payee_name"] or asked["payee_number"]:
        payee = PayeeFacts(asked["payee_name"], asked["payee_kind"], asked["payee_number"])
    request = PayRequest(
        uuid=asked["uuid"],
        amount_cents=asked["amount_cents"] or 0,
        intact=asked["intact"],
        code=asked["code"],
        payee=payee,
    )
    made = desk.desk_pay(by=by, request=request)
    if isinstance(made, Paid):
        said = _("Paid: hand the money over and keep the paper.")
        if made.means == Means.NOMINATIVE_CHEQUE:
            said = _("Paid by cheque: print it from the register.")
        return Happened(said, paper=_paper("payment", made.uuid), detail=money(made.amount_cents))
    return _proposed(made)


def _proposed(made: Proposal) -> Happened:
    said = _("Proposed: another person confirms it, and only then is it paid.")
    return Happened(said, "warn", detail=link(made))


def _exchange(by: StaffActor, asked: dict[str, Any]) -> Happened:
    request = goods.ExchangeRequest(
        uuid=asked["uuid"], code=asked["code"], deposit=None, intact=asked["intact"]
    )
    made = goods.exchange_make(by=by, request=request)
    if isinstance(made, Proposal):
        return _proposed(made)
    said = _("Exchanged: hand the document over that entitles to the thing.")
    return Happened(said, paper=_paper("exchange", made.uuid))


def _present(by: StaffActor, asked: dict[str, Any]) -> Happened:
    made = presenting.presentation_make(at=by, code=asked["code"], intact=asked["intact"])
    return Happened(_("Presented: it lapses no more."), paper=_paper("presentation", made.uuid))


def _deposit(by: StaffActor, asked: dict[str, Any]) -> Happened:
    request = deposits.DepositRequest(
        uuid=asked["uuid"], reason=asked["reason"], notes=asked["notes"], code=asked["code"]
    )
    made = deposits.deposit_take(at=by, request=request)
    return Happened(_("Taken in for checking."), "warn", _paper("deposit", made.uuid))


_DO: dict[str, Callable[[StaffActor, dict[str, Any]], Happened]] = {
    DeskAction.PAY: _pay,
    DeskAction.PROPOSE: _pay,
    DeskAction.EXCHANGE: _exchange,
    DeskAction.PRESENT: _present,
    DeskAction.DEPOSIT: _deposit,
}


def _paper(kind: str, ident: UUID) -> str:
    return reverse("admin:office_paper", args=[kind, ident])


def _view(request: HttpRequest) -> HttpResponse:
    if not signed_on.may(request, powers.CHECK):
        raise PermissionDenied
    by = signed_on.actor(request)
    page: dict[str, Any] = {}
    if request.method == "POST":
        asked = _Asked(request.POST)
        page = _answer(by, asked.cleaned_data) if asked.is_valid() else {"errors": asked.errors}
    context = admin.site.each_context(request) | _queue(by) | page
    context |= {
        "title": _("Office"),
        "kinds": _KINDS,
        "reasons": Deposit.Reason.choices,
        "open_cash": _open_cash_url(by),
    }
    response = TemplateResponse(request, "payoffice/desk.html", context)
    response["Cache-Control"] = "no-store"
    return response


def _answer(by: StaffActor, asked: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a code, after the act asked for, if any."""
    found: dict[str, Any] = {}
    try:
        if asked["act"] in _DO:
            found["happened"] = _DO[asked["act"]](by, asked)
        state = checking.desk_state(by=by, code=asked["code"])
    except DomainError as error:
        found["refusal"] = Refusal.of(domain_error(error))
        try:
            state = checking.desk_state(by=by, code=asked["code"])
        except DomainError:
            return found
    shown = _shown(state) | {"code": asked["code"], "uuid": uuid4()}
    if "happened" in found:  # what has just been done is no alarm
        shown |= {"tone": "info", "why_not": ""}
    return found | shown


def _shown(state: DeskState) -> dict[str, Any]:
    checked = state.checked
    payable, rule = checked.payable, checked.rule
    said, tone = STATES[checked.state.value]
    if checked.refusal and tone == "good":
        tone = "warn"
    return {
        "said": said,
        "tone": tone,
        "owed_cents": checked.owed_cents,
        "owed": money(checked.owed_cents) if checked.owed_cents else "",
        "thing": payable.thing,
        "first_pay_day": payable.first_pay_day,
        "last_claim_day": payable.last_claim_day,
        "why_not": checked.refusal or "",
        "cheque": bool(rule and rule.means is Means.NOMINATIVE_CHEQUE),
        "details": checked.details(),
        "actions": [action.value for action in state.actions],
        "happened_before": [
            (_HAPPENED.get(each.what, each.what), moment(each.at), each.premises)
            for each in state.happened
        ],
    }


def _queue(by: StaffActor) -> dict[str, Any]:
    """The day at this desk: one's cash session, its payments, what waits for a decision."""
    session = CashSession.objects.filter(cashier_id=by.user_id, closed_at=None).first()
    found: dict[str, Any] = {"session": link(session) if session else ""}
    if by.may(powers.READ):
        start, end = day_bounds(natural_day(clock.now()))
        today = Payment.objects.filter(paid_at__gte=start, paid_at__lt=end, staff_id=by.user_id)
        found["payments"] = [
            (moment(each.paid_at), money(each.amount_cents), each.get_means_display(), link(each))
            for each in today.order_by("-pk")[:_QUEUE]
        ]
        found["waiting"] = [
            (moment(each.deposited_at), each.get_reason_display(), link(each))
            for each in selectors.deposits(by=by).order_by("pk")[:_QUEUE]
        ]
    return found


def _open_cash_url(by: StaffActor) -> str:
    if not OPEN_CASH.open_to(by, None):
        return ""
    place = reverse("admin:payoffice_cashsession_changelist")
    return f"{place}{OPEN_CASH.name}/?{urlencode({'back': reverse('admin:office')})}"


def _paper_view(request: HttpRequest, kind: str, ident: UUID) -> HttpResponse:
    make = _RECEIPTS.get(kind)
    if make is None or not signed_on.may(request, powers.CHECK):
        raise Http404
    language = (get_language() or LANGUAGES[0]).partition("-")[0]
    try:
        document = make(signed_on.actor(request), ident, language)
    except DomainError as error:
        raise Http404 from error
    content = render(document, output=Output.PDF, created_at=clock.now(), paper=Paper.ROLL_80)
    response = HttpResponse(content, content_type=Output.PDF.media_type)
    response["Cache-Control"] = "no-store"
    return response


def _urls(keep: Keep) -> list[URLPattern]:
    return [
        path("office/", keep(_view), name="office"),
        path("office/<slug:kind>/<uuid:ident>.pdf", keep(_paper_view), name="office_paper"),
    ]


PAGE = Page(
    title=_("Office"),
    icon="point_of_sale",
    name="office",
    order=20,
    power=powers.CHECK,
    urls=_urls,
)

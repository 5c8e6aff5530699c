"""Show the office's desk: scan a document, see its state in large words, act on it.

The page works without a mouse: the box has the focus, then the likeliest act. The services of the
API do every act, under a UUID made when the document was shown, so that a form sent twice acts
once. A code stands in the page only, never in an address or a log.
"""

import dataclasses
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import signed_on
from core.admin_support.acts import Act, Refusal
from core.admin_support.columns import day, link, moment, money
from core.admin_support.contents import Keep, Named, Page, Place
from core.api.problems import domain_error
from core.database import clock
from core.kernel import codes
from core.kernel.days import day_bounds, natural_day
from core.kernel.errors import DomainError
from core.kernel.regulation import Duty, Means
from core.ledger import services as ledger
from core.payoffice import accounts, powers, selectors
from core.payoffice.admin.acts import CLOSE_CASH, MOVE_CASH, OPEN_CASH
from core.payoffice.admin.reasons import reasons_shown
from core.payoffice.models import CashSession, Deposit, Payment
from core.payoffice.services import checking, deposits, desk, finding, goods, presenting, slips
from core.payoffice.services.cash import open_session_of, subject_of
from core.payoffice.services.checking import Checked, DeskAction, DeskState
from core.payoffice.services.closing_slip import closing_slip
from core.payoffice.services.paying import Paid, PayRequest
from core.payoffice.services.personal_data import PayeeFacts
from core.premises.models import Game, Premises
from core.premises.requests import new_uuid
from core.receipts.document import present_language
from core.receipts.output import Output, render
from core.receipts.paper import Paper
from core.staff import two_persons
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
    "blocked": (_("Held"), "warn"),
    "granted": (_("Granted: paid against its receipt"), "good"),
    "paid": (_("Already paid"), "bad"),
    "exchanged": (_("Already exchanged"), "bad"),
    "lapsed": (_("Lapsed"), "bad"),
    "refused": (_("Not paid, by decision"), "bad"),
}
_DUTIES = {
    Duty.MUST: _("It must be paid here."),
    Duty.MAY: _("It may be paid here."),
    Duty.MUST_NOT: _("An amount like this is not paid here."),
}
_HAPPENED = {
    "presented": _("Presented"),
    "deposited": _("Deposited"),
    "paid": _("Paid"),
    "exchanged": _("Exchanged"),
    "lapsed": _("Lapsed"),
    "restored": _("Restored"),
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
    "closing": lambda by, ident, language: closing_slip(
        selectors.closed_session(by=by, ident=ident), language
    ),
    "exchange": lambda by, ident, language: slips.exchange_document(
        selectors.exchange(by=by, ident=ident), language
    ),
}


@dataclasses.dataclass(frozen=True, slots=True)
class DeskResult:
    """The outcome of an act: words, a colour, and the paper that goes with it."""

    message: Any
    tone: str = "good"
    paper: str = ""
    detail: Any = ""


class _Asked(forms.Form):
    """The fields of the desk's form; each act says which of them it needs."""

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


def _pay(by: StaffActor, asked: dict[str, Any]) -> DeskResult:
    payee = None
    if asked["payee_name"] or asked["payee_number"]:
        payee = PayeeFacts(asked["payee_name"], asked["payee_kind"], asked["payee_number"])
    request = PayRequest(
        uuid=asked["uuid"],
        amount_cents=asked["amount_cents"] or 0,
        intact=asked["intact"],
        payee=payee,
        **finding.scanned(asked["code"]),
    )
    outcome = desk.desk_pay(by=by, request=request)
    if isinstance(outcome, Paid):
        message = _("Paid: hand the money over and keep the paper.")
        if outcome.means == Means.NOMINATIVE_CHEQUE:
            message = _("Paid by cheque: print it from the register.")
        paper, detail = _paper("payment", outcome.uuid), money(outcome.amount_cents)
        return DeskResult(message, paper=paper, detail=detail)
    return _proposed(outcome)


def _proposed(proposal: Proposal) -> DeskResult:
    message = _("Proposed: another person confirms it, and only then is it paid.")
    return DeskResult(message, "warn", detail=link(proposal))


def _exchange(by: StaffActor, asked: dict[str, Any]) -> DeskResult:
    presented = finding.scanned(asked["code"])
    request = goods.ExchangeRequest(uuid=asked["uuid"], intact=asked["intact"], **presented)
    outcome = goods.exchange_make(by=by, request=request)
    if isinstance(outcome, Proposal):
        return _proposed(outcome)
    message = _("Exchanged: hand over the document that entitles to the prize.")
    return DeskResult(message, paper=_paper("exchange", outcome.uuid))


def _present(by: StaffActor, asked: dict[str, Any]) -> DeskResult:
    presentation = presenting.presentation_make(at=by, code=asked["code"], intact=asked["intact"])
    paper = _paper("presentation", presentation.uuid)
    return DeskResult(_("Presented: it does not lapse any more."), paper=paper)


def _deposit(by: StaffActor, asked: dict[str, Any]) -> DeskResult:
    request = deposits.DepositRequest(
        uuid=asked["uuid"], reason=asked["reason"], notes=asked["notes"], code=asked["code"]
    )
    deposit = deposits.deposit_take(at=by, request=request)
    return DeskResult(_("Taken in for checking."), "warn", _paper("deposit", deposit.uuid))


_PAYING = frozenset({DeskAction.PAY, DeskAction.PROPOSE, DeskAction.EXCHANGE})
_DO: dict[str, Callable[[StaffActor, dict[str, Any]], DeskResult]] = {
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
    """Return what the page shows of a code, after the requested act, if any."""
    page: dict[str, Any] = {}
    try:
        if asked["act"] in _DO:
            page["happened"] = _DO[asked["act"]](by, asked)
        state = checking.desk_state(by=by, **finding.scanned(asked["code"]))
    except DomainError as error:
        page |= {"refusal": Refusal.of(domain_error(error)), "typed": asked}
        if isinstance(error, codes.CodeMalformed | codes.CodeMistyped):
            again = codes.grouped(asked["code"])
            page |= {"again": again, "again_length": len(again.replace("-", ""))}
        try:
            state = checking.desk_state(by=by, **finding.scanned(asked["code"]))
        except DomainError:
            return page
    document = _document(state) | {"code": asked["code"], "uuid": new_uuid()}
    document |= _short(by, document)
    document["pays_first"] = document["actions"][:1] and document["actions"][0] in _PAYING
    if "happened" in page:  # the state that the act brought is no alarm
        document |= {"tone": "info", "why_not": ""}
    return page | document


def _short(by: StaffActor, document: dict[str, Any]) -> dict[str, Any]:
    """Return what is missing in the drawer to pay a document now, and the acts without paying.

    Empty if the drawer holds enough, or if nothing is paid from it.
    """
    session = open_session_of(by)
    if session is None or document["cheque"] or DeskAction.PAY not in document["actions"]:
        return {}
    missing_cents = document["owed_cents"] - ledger.balance_cents(accounts.cash(session.pk))
    if missing_cents <= 0:
        return {}
    return {
        "missing": money(missing_cents),
        "bring_cash": _cash_act_url(session, MOVE_CASH),
        "actions": [act for act in document["actions"] if act != DeskAction.PAY],
        "tone": "warn",
    }


def _compared(checked: Checked, details: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    """Return what is compared with the paper, as names and values: game, day, place and time of
    sale, bets, price, and the bets that won, by hits.
    """
    payable = checked.payable
    place = Premises.objects.get(pk=payable.issuer_id)
    facts: list[tuple[Any, Any]] = [(_("Game"), Game(payable.game).label)]
    if "day" in details:
        facts.append((_("Meeting"), day(date.fromisoformat(details["day"]))))
    facts += [
        (_("Time of sale"), moment(payable.issued_at)),
        (_("Premises"), f"{place.code} · {place.name}"),
    ]
    if "bets" in details:
        facts += [(_("Bets"), details["bets"]), (_("Amount"), money(details["price_cents"]))]
    for won in details.get("winning_bets", ()):
        title = _("%(hits)s right") % {"hits": won["hits"]}
        facts.append((title, ngettext("%(n)s bet", "%(n)s bets", won["bets"]) % {"n": won["bets"]}))
    return facts


def _document(state: DeskState) -> dict[str, Any]:
    checked = state.checked
    payable, rule = checked.payable, checked.rule
    state_text, tone = STATES[checked.state.value]
    duty = checked.duty if tone != "bad" else None  # nobody must pay what is paid
    details = checked.details()
    if checked.refusal and tone == "good":
        tone = "warn"
    return {
        "state_text": state_text,
        "tone": tone,
        "owed_cents": checked.owed_cents,
        "owed": money(checked.owed_cents) if checked.owed_cents else "",
        "thing": payable.thing,
        "first_pay_day": payable.first_pay_day,
        "last_claim_day": payable.last_claim_day,
        "duty": _DUTIES[duty] if duty else "",
        "why_not": gettext(checked.why) if checked.why else "",
        "cheque": bool(rule and rule.means is Means.NOMINATIVE_CHEQUE),
        "details": details,
        "compared": _compared(checked, details),
        "explained": reasons_shown(checked),
        "actions": [action.value for action in state.actions],
        "happened_before": [
            (_HAPPENED.get(act.what, act.what), moment(act.at), act.premises)
            for act in state.happened
        ],
    }


def _queue(by: StaffActor) -> dict[str, Any]:
    """Return the person's day at the desk: cash session, payments, undecided deposits."""
    session = open_session_of(by)
    queue: dict[str, Any] = {"session": link(session) if session else ""}
    if session is not None:
        queue["in_hand"] = money(ledger.balance_cents(accounts.cash(session.pk)))
        queue["count_cash"] = _cash_act_url(session, CLOSE_CASH)
        leaving = two_persons.all_pending([subject_of(session)])
        queue["leaving"] = [link(each) for each in leaving.values()]
    if by.may(powers.READ):
        mine = CashSession.objects.filter(cashier_id=by.user_id, closed_at__isnull=False)
        closed = mine.order_by("-closed_at").first() if session is None else None
        queue["closing"] = _paper("closing", closed.uuid) if closed else ""
        start, end = day_bounds(natural_day(clock.now()))
        today = Payment.objects.filter(paid_at__gte=start, paid_at__lt=end, staff_id=by.user_id)
        queue["payments"] = [
            (link(row, moment(row.paid_at)), money(row.amount_cents), row.get_means_display())
            for row in today.order_by("-pk")[:_QUEUE]
        ]
        queue["waiting"] = [
            (link(row, moment(row.deposited_at)), row.get_reason_display())
            for row in selectors.deposits(by=by).order_by("pk")[:_QUEUE]
        ]
    return queue


def _open_cash_url(by: StaffActor) -> str:
    if not OPEN_CASH.open_to(by, None):
        return ""
    return _cash_act_url(None, OPEN_CASH)


def _cash_act_url(session: CashSession | None, act: Act) -> str:
    """Return the address of an act on a cash session, or on none, that comes back to the desk."""
    place = reverse("admin:payoffice_cashsession_changelist")
    row = f"{session.pk}/" if session else ""
    return f"{place}{row}{act.name}/?{urlencode({'back': reverse('admin:office')})}"


def _paper_view(request: HttpRequest, kind: str, ident: UUID) -> HttpResponse:
    make = _RECEIPTS.get(kind)
    if make is None or not signed_on.may(request, powers.CHECK):
        raise Http404
    language = present_language()
    try:
        document = make(signed_on.actor(request), ident, language)
    except DomainError as error:
        raise Http404 from error
    content = render(document, output=Output.PDF, created_at=clock.now(), paper=Paper.ROLL_80)
    response = HttpResponse(content, content_type=Output.PDF.media_type)
    response["Cache-Control"] = "no-store"
    return response


def named(request: HttpRequest, term: str) -> Named | None:
    """Return the document whose code, or receipt, was typed into the search box; the look is put on
    record.
    """
    if not signed_on.may(request, powers.CHECK):
        return None
    try:
        by = signed_on.actor(request)
        checked = checking.desk_state(by=by, **finding.scanned(term)).checked
    except DomainError:
        return None
    return Named(
        title=STATES[checked.state.value][0],
        amount=money(checked.owed_cents) if checked.owed_cents else "",
        uuid=checked.payable.uuid,
        button=_("At the office's desk"),
        opens=reverse("admin:office"),
        posts={"code": term},
    )


def _urls(keep: Keep) -> list[URLPattern]:
    return [
        path("office/", keep(_view), name="office"),
        path("office/<slug:kind>/<uuid:ident>.pdf", keep(_paper_view), name="office_paper"),
    ]


PAGE = Page(
    title=_("Office"),
    icon="point_of_sale",
    name="office",
    place=Place.OFFICE,
    order=20,
    power=powers.CHECK,
    urls=_urls,
    works=powers.PRESENT,
)

"""Show running accounts in the admin: statements, their settlement, commission and guarantees."""

import datetime
import uuid
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation, signed_on
from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.columns import day, link, money
from core.admin_support.contents import Figure, Place, Table
from core.admin_support.documents import as_html
from core.admin_support.forms import ActForm, DayField, EurosField, MomentField
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.api.papers import CSV_FORM, as_file
from core.ledger.models import Account
from core.looks.recording import EXPORT, look
from core.premises.admin.choosing import PremisesField
from core.premises.models import Game, Premises
from core.receipts.document import present_language
from core.staff.actor import StaffActor
from core.statements import guarantee, left, papers, powers, services
from core.statements.balances import outstanding_cents, with_outstanding
from core.statements.guarantee import covers
from core.statements.models import (
    CashUp,
    CommissionRate,
    GuaranteeLimit,
    Mark,
    MarkedBalance,
    Remittance,
    RetiredCommission,
    RetiredRemittances,
    RetiredStatements,
    Statement,
    Till,
)
from core.statements.weeks import archived, in_uuid

Data = dict[str, Any]


class _Settle(ActForm):
    amount_cents = EurosField(
        label=_("Amount"), help_text=_("Paid by the premises; negative: paid to them.")
    )
    paid_on = DayField(label=_("Paid on"))
    reference = forms.CharField(label=_("Reference of the bank movement"), max_length=120)


class _Rate(ActForm):
    game = forms.ChoiceField(label=_("Game"), choices=Game.choices)
    premises = PremisesField(
        label=_("Premises"),
        required=False,
        help_text=_("None: all premises without a rate of their own."),
    )
    percent = forms.CharField(label=_("Per cent of net sales"), max_length=10)
    in_force_from = DayField(label=_("In force from"))
    reference = forms.CharField(label=_("Reference"), max_length=120)


class _Limit(ActForm):
    premises = PremisesField(label=_("Premises"))
    limit_cents = EurosField(label=_("Limit"))
    minute_cap_cents = EurosField(
        label=_("Most per terminal and minute"),
        initial=f"{guarantee.MINUTE_CAP_CENTS // 100}.00",
    )
    in_force_from = MomentField(label=_("In force from"), required=False)
    reference = forms.CharField(label=_("Reference"), max_length=120)


def _settle(by: StaffActor, target: Statement, data: Data) -> Done:
    outcome = services.statement_settle(by=by, statement=target.uuid, **data)
    if isinstance(outcome, Remittance):
        return Done(_("The payment is on record."), target)
    return Done(PROPOSED, target)


def _rate(by: StaffActor, target: None, data: Data) -> Done:
    place = data.pop("premises")
    services.commission_rate_propose(by=by, premises=place.code if place else None, **data)
    return Done(PROPOSED)


def _limit(by: StaffActor, target: None, data: Data) -> Done:
    guarantee.guarantee_limit_propose(by=by, premises=data.pop("premises").code, **data)
    return Done(PROPOSED)


SETTLE = Act(
    name="settle",
    title=_("Record a payment"),
    power=powers.SETTLE,
    run=_settle,
    form=_Settle,
    icon="payments",
    text=_("A second person confirms a large amount, and what is paid to the premises."),
    facts=lambda target: [
        (_("balance"), money(target.closing_cents)),
        (_("outstanding"), money(outstanding_cents(target))),
    ],
    offered=lambda by, target: outstanding_cents(target) != 0,
)
RATE = Act(
    name="record",
    title=_("Propose a commission rate"),
    power=powers.SET_RATES,
    run=_rate,
    form=_Rate,
    icon="add",
)
LIMIT = Act(
    name="set",
    title=_("Propose a guarantee limit"),
    power=powers.SET_GUARANTEE,
    run=_limit,
    form=_Limit,
    icon="add",
)


class _Remittances(ReadOnlyInline):
    model = Remittance
    shown = ("amount_cents", "paid_on", "reference", "recorded_at", "recorded_by", "proposal")


@admin.register(Statement)
class StatementAdmin(ReadOnlyAdmin):
    asks = ("week_to", "premises", "closing_cents")
    summed = ("sales_cents", "closing_cents")
    columns = ("__str__", "premises", "week_from", "week_to", "closing_cents", "outstanding")
    shown = (
        "premises",
        "number",
        "week_from",
        "week_to",
        "files",
        "opening_cents",
        "sales_cents",
        "annulments_cents",
        "prizes_cents",
        "commission_cents",
        "settled_cents",
        "other_cents",
        "closing_cents",
        "outstanding",
        "moved",
        "earned",
        "issued_at",
    )
    search_fields = ("premises__code", "premises__name")
    ordering = ("-week_from", "premises__code")
    list_select_related = ("premises",)
    read_power = powers.READ
    inlines = (_Remittances,)
    acts = (SETTLE,)

    def by_uuid(self, ident: uuid.UUID) -> Q:
        return in_uuid(ident) & super().by_uuid(ident)

    def retired_until(self) -> datetime.date | None:
        return left.newest_left()

    def archive_of(self, ident: uuid.UUID) -> str:
        gone = archived(ident)
        words = gettext("It has left. The archive of %(month)s has it: %(kept)s.")
        return words % gone.data if gone else ""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Statement]:
        return with_outstanding(super().get_queryset(request))

    @admin.display(description=_("outstanding"))
    def outstanding(self, row: Any) -> str:
        return money(row.left_cents)

    @admin.display(description=_("movements"))
    def moved(self, row: Statement) -> Any:
        return as_html(row.lines)

    @admin.display(description=_("commission"))
    def earned(self, row: Statement) -> Any:
        return as_html(row.commission)

    @admin.display(description=_("as a file"))
    def files(self, row: Statement) -> Any:
        urls = [reverse(f"admin:statement_{kind}", args=[row.uuid]) for kind in ("pdf", "csv")]
        return format_html(
            '<a class="text-link" href="{}">PDF</a> · <a class="text-link" href="{}">CSV</a>', *urls
        )

    def get_urls(self) -> list[URLPattern]:
        guarded = self.admin_site.admin_view
        return [
            path("<uuid:ident>.pdf", guarded(self._pdf), name="statement_pdf"),
            path("<uuid:ident>.csv", guarded(self._csv), name="statement_csv"),
            *super().get_urls(),
        ]

    def _pdf(self, request: HttpRequest, ident: uuid.UUID) -> HttpResponse:
        statement = self._statement(request, ident)
        content = papers.statement_pdf(statement, language=present_language())
        return as_file(HttpResponse(content, content_type="application/pdf"), f"{statement}.pdf")

    def _csv(self, request: HttpRequest, ident: uuid.UUID) -> HttpResponse:
        statement = self._statement(request, ident)
        content = papers.statement_csv(statement)
        response = HttpResponse(content, content_type=CSV_FORM.content_type)
        return as_file(response, f"{statement}.csv")

    def _statement(self, request: HttpRequest, ident: uuid.UUID) -> Statement:
        if not self.has_view_permission(request):
            raise Http404
        statement = services.statement_get(ident)
        look(EXPORT, statement)
        return statement


@admin.register(CommissionRate)
class CommissionRateAdmin(ReadOnlyAdmin):
    columns = ("game", "premises", "percent", "in_force_from", "reference", "recorded_by")
    list_filter = ("game",)
    read_power = powers.READ
    list_acts = (RATE,)


@admin.register(GuaranteeLimit)
class GuaranteeLimitAdmin(ReadOnlyAdmin):
    columns = (
        "premises",
        "limit_cents",
        "minute_cap_cents",
        "in_force_from",
        "reference",
        "recorded_by",
    )
    search_fields = ("premises__code", "premises__name")
    read_power = powers.READ
    list_acts = (LIMIT,)


@admin.register(Till)
class TillAdmin(ReadOnlyAdmin):
    columns = ("premises", "terminal", "owed_cents", "minute_from", "minute_cents")
    search_fields = ("premises__code", "terminal__code")
    read_power = powers.READ


@admin.register(CashUp)
class CashUpAdmin(ReadOnlyAdmin):
    asks = ("closed_at", "terminal", "operator")
    summed = ("expected_cents", "counted_cents")
    columns = (
        "terminal",
        "operator",
        "number",
        "closed_at",
        "expected_cents",
        "float_cents",
        "counted_cents",
        "note",
    )
    search_fields = ("terminal__code", "terminal__premises__code")
    people = ("operator",)
    read_power = powers.READ


@admin.register(Remittance)
class RemittanceAdmin(ReadOnlyAdmin):
    asks = ("paid_on", "premises", "recorded_by", "amount_cents")
    summed = ("amount_cents",)
    columns = ("premises", "statement", "amount_cents", "paid_on", "reference", "recorded_by")
    search_fields = ("reference", "premises__code")
    read_power = powers.READ

    def by_uuid(self, ident: uuid.UUID) -> Q:
        return in_uuid(ident, "statement__") & super().by_uuid(ident)

    def archive_of(self, ident: uuid.UUID) -> str:
        gone = archived(ident, payment=True)
        words = gettext(
            "Its statement has left. The archive of %(month)s has that and its payments: %(kept)s."
        )
        return words % gone.data if gone else ""


class _Balances(ReadOnlyInline):
    model = MarkedBalance
    shown = ("debts",)

    @admin.display(description=_("balance"))
    def debts(self, row: MarkedBalance) -> SafeString:
        codes = Account.objects.in_bulk(map(int, row.debts_cents))
        return as_html(
            [
                {"account": str(codes[int(account)]), "amount_cents": cents}
                for account, cents in row.debts_cents.items()
            ]
        )


@admin.register(Mark)
class MarkAdmin(ReadOnlyAdmin):
    columns = ("up_to", "made_at")
    read_power = powers.READ
    inlines = (_Balances,)


@admin.register(RetiredStatements)
class RetiredStatementsAdmin(ReadOnlyAdmin):
    columns = ("id", "statements_left", "last_day")
    shown = ("weeks",)
    read_power = powers.READ
    sortable_by = ()

    @admin.display(description=_("statements"))
    def statements_left(self, row: RetiredStatements) -> int:
        return sum(row.statements)

    @admin.display(description=_("last day"))
    def last_day(self, row: RetiredStatements) -> str:
        return day(max(row.last_sundays))

    @admin.display(description=_("statements that left"))
    def weeks(self, row: RetiredStatements) -> SafeString:
        premises = Premises.objects.in_bulk(row.premises)
        columns = row.premises, row.statements, row.last_sundays, row.closings_cents
        return as_html(
            [
                {
                    "premises": str(premises[ident]),
                    "count": many,
                    "last_day": last.isoformat(),
                    "closing_cents": cents,
                }
                for ident, many, last, cents in zip(*columns, strict=True)
            ]
        )


@admin.register(RetiredCommission, RetiredRemittances)
class RetiredSumsAdmin(ReadOnlyAdmin):
    columns = ("id", "retired")
    shown = ("retired", "premises")
    read_power = powers.READ


def guarantees_panel(request: HttpRequest) -> Table | None:
    if not signed_on.may(request, powers.READ):
        return None
    near = [cover for cover in covers() if cover.is_near]
    places = Premises.objects.in_bulk([cover.premises_id for cover in near])
    rows = [
        (
            link(places[cover.premises_id]),
            money(cover.balance_cents),
            money(cover.limit_cents),
            money(cover.left_cents),
        )
        for cover in sorted(near, key=lambda cover: cover.left_cents)[:20]
    ]
    return Table(
        title=_("Premises near their guarantee"),
        icon="account_balance_wallet",
        headers=(_("premises"), _("owed"), _("limit"), _("left to sell")),
        rows=rows,
        empty=_("No premises owe four fifths of their guarantee."),
        link=navigation.changelist_url(GuaranteeLimit),
    )


def figures(request: HttpRequest) -> list[Figure]:
    """Return the sum of the debts of premises, and the number of those near their limit."""
    if not signed_on.may(request, powers.READ):
        return []
    owing = [cover for cover in covers() if cover.balance_cents > 0]
    owed_cents = sum(cover.balance_cents for cover in owing)
    near = sum(cover.is_near for cover in owing)
    here = navigation.place_url(Place.PREMISES)
    return [
        Figure(
            _("Owed by premises"),
            money(owed_cents),
            ngettext("%(n)s premises", "%(n)s premises", len(owing)) % {"n": len(owing)},
            here,
        ),
        Figure(_("Premises near their guarantee"), near, "", here),
    ]

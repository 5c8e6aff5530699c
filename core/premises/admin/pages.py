"""Show premises, their authorisations, terminals and operators, and suspensions in the admin."""

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation, signed_on
from core.admin_support.columns import NOTHING, day, lines, link, listed, moment, money
from core.admin_support.contents import Table
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.kernel.days import add_days, natural_day
from core.ledger.services import balance_cents, premises_account
from core.premises import powers
from core.premises.admin.acts import (
    AUTHORISE,
    CODE,
    DEACTIVATE,
    END,
    END_AS_OF,
    OPERATOR,
    PIN_RESET,
    REENROL,
    REGISTER,
    REGISTER_LIST,
    RESUME,
    RESUME_RESOLVED,
    REVOKE,
    REVOKE_AS_OF,
    SUSPEND,
    SUSPEND_ALL,
    SUSPEND_AS_OF,
    TERMINAL,
)
from core.premises.admin.selecting import CHOSEN
from core.premises.models import (
    Authorisation,
    BurntRequest,
    Enrolment,
    FormerToken,
    Operator,
    OperatorSession,
    Premises,
    Resolution,
    Suspension,
    Terminal,
    TerminalCopy,
)
from core.statements import powers as statements_powers
from core.statements.left import last_left
from core.statements.models import GuaranteeLimit, Statement

STATEMENTS_DAYS = 182
"""Statements shown with their premises go back so far."""


class _Authorisations(ReadOnlyInline):
    model = Authorisation
    shown = ("game", "valid_from", "valid_until", "reference", "proposal")


class _Terminals(ReadOnlyInline):
    model = Terminal
    shown = ("code", "enrolled_at", "copied_at", "revoked_at")


class _Operators(ReadOnlyInline):
    model = Operator
    shown = ("number", "name", "is_active", "pin_chosen_at")

    @admin.display(description=_("name"))
    def name(self, row: Operator) -> str:
        return row.name


@admin.register(TerminalCopy)
class TerminalCopyAdmin(ReadOnlyAdmin):
    columns = ("id", "terminal", "sign", "seen_at")
    list_filter = ("sign",)
    search_fields = ("terminal__code",)
    read_power = powers.READ


@admin.register(FormerToken)
class FormerTokenAdmin(ReadOnlyAdmin):
    columns = ("id", "terminal", "replaced_at")
    search_fields = ("terminal__code",)
    read_power = powers.READ


class _Copies(ReadOnlyInline):
    model = TerminalCopy
    shown = ("sign", "seen_at")


class _Suspensions(ReadOnlyInline):
    model = Suspension
    shown = ("reason", "since", "suspended_by", "lifted_at", "lifted_by")


class _Statements(ReadOnlyInline):
    """The statements of half a year that have not left: sales and what was owed, week by week."""

    model = Statement
    shown = (
        "week_from",
        "week_to",
        "sales_cents",
        "annulments_cents",
        "prizes_cents",
        "commission_cents",
        "settled_cents",
        "closing_cents",
    )
    ordering = ("-week_from",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Statement]:
        since = add_days(natural_day(clock.now()), -STATEMENTS_DAYS)
        rows: QuerySet[Statement] = super().get_queryset(request)
        return rows.filter(week_to__gte=since)


class _Limits(ReadOnlyInline):
    model = GuaranteeLimit
    shown = ("in_force_from", "limit_cents", "minute_cap_cents", "reference", "proposal")
    ordering = ("-in_force_from", "-id")


@admin.register(Premises)
class PremisesAdmin(ReadOnlyAdmin):
    quick = ("code__iexact", "name__icontains")
    columns = ("code", "name", "kind", "municipality")
    shown = (
        "code",
        "name",
        "kind",
        "address",
        "municipality",
        "balance",
        "statements",
        "created_at",
        "proposal",
    )
    list_filter = ("kind",)
    search_fields = ("code", "name", "municipality")
    ordering = ("code",)
    read_power = powers.READ
    inlines = (_Statements, _Limits, _Suspensions, _Authorisations, _Terminals, _Operators)
    acts = (AUTHORISE, TERMINAL, OPERATOR, SUSPEND, SUSPEND_AS_OF)
    list_acts = (REGISTER, REGISTER_LIST)
    chosen_acts = CHOSEN

    @admin.display(description=_("taken and not yet handed over"))
    def balance(self, row: Premises) -> str:
        return money(balance_cents(premises_account(row.pk)))

    @admin.display(description=_("statements"))
    def statements(self, row: Premises) -> SafeString:
        """Lead to every statement of the premises; the page shows those of half a year. Say up to
        which day some have left.
        """
        many, last = Statement.objects.filter(premises=row).count(), last_left(row.pk)
        if not many:
            return SafeString(NOTHING)
        text = ngettext("%(n)s statement", "all %(n)s statements", many) % {"n": many}
        listing = listed(Statement, text, premises__id__exact=row.pk)
        if last is None:
            return listing
        words = gettext("Those up to %(day)s that are not listed are in the archives.")
        return lines([listing, words % {"day": day(last)}])

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Sequence[Any]:
        """Return the entries of the page; its statements for those who may read them."""
        fields = super().get_fields(request, obj)
        may_read = signed_on.may(request, statements_powers.READ)
        return [name for name in fields if may_read or name != "statements"]


@admin.register(Authorisation)
class AuthorisationAdmin(ReadOnlyAdmin):
    columns = ("id", "premises", "game", "valid_from", "valid_until", "reference")
    list_filter = ("game",)
    search_fields = ("premises__code", "premises__name", "reference")
    read_power = powers.READ
    acts = (END, END_AS_OF)


@admin.register(Terminal)
class TerminalAdmin(ReadOnlyAdmin):
    quick = ("code__iexact",)
    columns = ("code", "premises", "enrolled_at", "copied_at", "revoked_at")
    shown = (*columns, "created_at", "proposal")
    search_fields = ("code", "premises__code", "premises__name")
    ordering = ("code",)
    read_power = powers.READ
    inlines = (_Copies, _Suspensions)
    acts = (CODE, REENROL, SUSPEND, SUSPEND_AS_OF, REVOKE, REVOKE_AS_OF)


@admin.register(Enrolment)
class EnrolmentAdmin(ReadOnlyAdmin):
    columns = ("id", "terminal", "allowed_at", "issued_at", "issued_by", "expires_at", "used_at")
    shown = (*columns, "allowed_until", "proposal")
    search_fields = ("terminal__code",)
    read_power = powers.READ


@admin.register(Operator)
class OperatorAdmin(ReadOnlyAdmin):
    columns = ("number", "name", "premises", "is_active", "pin_chosen_at")
    shown = (
        "premises",
        "number",
        "name",
        "pin_chosen_at",
        "is_active",
        "created_at",
        "created_by",
        "name_erased_at",
    )
    list_filter = ("is_active",)
    search_fields = ("premises__code", "premises__name")
    read_power = powers.READ
    acts = (PIN_RESET, DEACTIVATE)

    @admin.display(description=_("name"))
    def name(self, row: Operator) -> str:
        return row.name


@admin.register(OperatorSession)
class OperatorSessionAdmin(ReadOnlyAdmin):
    asks = ("started_at", "operator", "terminal")
    columns = ("id", "operator", "terminal", "started_at", "expires_at", "ended_at")
    search_fields = ("terminal__code",)
    read_power = powers.READ


@admin.register(BurntRequest)
class BurntRequestAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("uuid", "terminal", "burnt_at")
    search_fields = ("uuid",)


@admin.register(Resolution)
class ResolutionAdmin(ReadOnlyAdmin):
    columns = ("reference", "effect", "effective_at", "authorisation", "premises", "terminal")
    shown = (
        "effect",
        "authorisation",
        "premises",
        "terminal",
        "effective_at",
        "replaced_at",
        "reference",
        "proposal",
        "entered_at",
    )
    list_filter = ("effect",)
    search_fields = ("reference",)
    read_power = powers.READ


class _StandingFilter(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("yes", _("In force")), ("no", _("Lifted"))]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return (
            queryset.filter(lifted_at__isnull=self.value() == "yes") if self.value() else queryset
        )


def _scope(row: Suspension) -> Any:
    place = row.premises or row.terminal
    return link(place) if place else _("All sales")


@admin.register(Suspension)
class SuspensionAdmin(ReadOnlyAdmin):
    asks = ("since", "premises", "suspended_by")
    columns = ("reason", "scope", "since", "suspended_by", "lifted_at", "lifted_by")
    told = ("premises", "terminal")
    shown = (
        "scope",
        "reason",
        "since",
        "suspended_by",
        "suspended_in",
        "resolution",
        "lifted_at",
        "lifted_by",
    )
    list_filter = (_StandingFilter,)
    search_fields = ("reason",)
    read_power = powers.READ
    acts = (RESUME, RESUME_RESOLVED)
    list_acts = (SUSPEND_ALL,)

    @admin.display(description=_("where"))
    def scope(self, row: Suspension) -> Any:
        return _scope(row)


def suspensions_panel(request: HttpRequest) -> Table | None:
    if not signed_on.may(request, powers.READ):
        return None
    in_force = Suspension.objects.filter(lifted_at=None).order_by("pk")
    rows = [
        (link(row, row.reason), _scope(row), moment(row.since), row.suspended_by)
        for row in in_force.select_related("premises", "terminal", "suspended_by")
    ]
    return Table(
        title=_("Suspensions in force"),
        icon="pause_circle",
        headers=(_("reason"), _("where"), _("since"), _("suspended by")),
        rows=rows,
        empty=_("No sales are suspended."),
        link=navigation.changelist_url(Suspension),
    )

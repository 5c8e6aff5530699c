"""Premises, their authorisations, terminals and operators, and suspensions of sales."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation, signed_on
from core.admin_support.acts import Act, Done
from core.admin_support.columns import link, moment, money
from core.admin_support.contents import Table
from core.admin_support.forms import ActForm, MomentField
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.ledger.services import balance_cents, premises_account
from core.premises import powers, services, suspending
from core.premises.models import (
    Authorisation,
    BurntRequest,
    Enrolment,
    Game,
    Operator,
    OperatorSession,
    Premises,
    Suspension,
    Terminal,
)
from core.staff.actor import StaffActor

Data = dict[str, Any]


# --- Forms ----------------------------------------------------------------------------------------


class _NewPremises(ActForm):
    code = forms.CharField(label=_("Code"), max_length=20)
    name = forms.CharField(label=_("Name"), max_length=120)
    kind = forms.ChoiceField(label=_("Kind"), choices=Premises.Kind.choices)
    address = forms.CharField(label=_("Address"), max_length=200)
    municipality = forms.CharField(label=_("Municipality"), max_length=80)


class _NewAuthorisation(ActForm):
    game = forms.ChoiceField(label=_("Game"), choices=Game.choices)
    valid_from = MomentField(label=_("Valid from"))
    valid_until = MomentField(label=_("Valid until"), required=False)
    reference = forms.CharField(label=_("Reference"), max_length=120)


class _NewTerminal(ActForm):
    code = forms.CharField(label=_("Code"), max_length=20)


class _Pin(ActForm):
    pin = forms.CharField(
        label=_("PIN"),
        help_text=_("6 to 12 digits, nothing that is easily guessed."),
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "inputmode": "numeric"}),
    )


class _NewOperator(_Pin):
    number = forms.IntegerField(label=_("Number"), min_value=1, max_value=32_767)
    name = forms.CharField(label=_("Name"), max_length=120)
    field_order = ("number", "name", "pin")


class _Why(ActForm):
    reason = forms.CharField(label=_("Reason"), max_length=200)


# --- Acts -----------------------------------------------------------------------------------------


def _register(by: StaffActor, target: None, data: Data) -> Done:
    return Done(_("The premises are registered."), services.premises_register(by=by, **data))


def _authorise(by: StaffActor, place: Premises, data: Data) -> Done:
    services.authorisation_record(by=by, premises=place.code, **data)
    return Done(_("The authorisation is recorded."))


def _end(by: StaffActor, authorisation: Authorisation, data: Data) -> Done:
    services.authorisation_end(by=by, authorisation=authorisation.pk)
    return Done(_("The authorisation has ended."))


def _register_terminal(by: StaffActor, place: Premises, data: Data) -> Done:
    terminal, code = services.terminal_register(by=by, premises=place.code, **data)
    return Done(_("The one-time code with which the terminal enrols:"), terminal, secret=code)


def _reenrol(by: StaffActor, terminal: Terminal, data: Data) -> Done:
    code = services.terminal_reenrol(by=by, terminal=terminal.code)
    return Done(_("The one-time code with which the terminal enrols:"), terminal, secret=code)


def _revoke(by: StaffActor, terminal: Terminal, data: Data) -> Done:
    services.terminal_revoke(by=by, terminal=terminal.code)
    return Done(_("The terminal is revoked."))


def _register_operator(by: StaffActor, place: Premises, data: Data) -> Done:
    services.operator_register(by=by, premises=place.code, **data)
    return Done(_("The operator is registered."))


def _reset_pin(by: StaffActor, operator: Operator, data: Data) -> Done:
    services.operator_pin_reset(
        by=by, premises=operator.premises.code, number=operator.number, **data
    )
    return Done(_("The PIN is set; the operator's sessions have ended."))


def _deactivate(by: StaffActor, operator: Operator, data: Data) -> Done:
    services.operator_deactivate(by=by, premises=operator.premises.code, number=operator.number)
    return Done(_("The operator works here no more."))


def _suspend(by: StaffActor, target: Premises | Terminal | None, data: Data) -> Done:
    suspending.sales_suspend(
        by=by,
        reason=data["reason"],
        premises=target.code if isinstance(target, Premises) else None,
        terminal=target.code if isinstance(target, Terminal) else None,
    )
    return Done(_("Sales are suspended."))


def _resume(by: StaffActor, suspension: Suspension, data: Data) -> Done:
    suspending.sales_resume(by=by, suspension=suspension.pk)
    return Done(_("The suspension is lifted."))


def _in_force(by: StaffActor, authorisation: Authorisation) -> bool:
    now, until = clock.now(), authorisation.valid_until
    return bool(authorisation.valid_from <= now and (until is None or until > now))


REGISTER = Act(
    name="register",
    title=_("Register premises"),
    power=powers.REGISTER,
    run=_register,
    form=_NewPremises,
    icon="add_business",
)
AUTHORISE = Act(
    name="authorise",
    title=_("Record an authorisation"),
    power=powers.REGISTER,
    run=_authorise,
    form=_NewAuthorisation,
    icon="verified",
)
END = Act(
    name="end",
    title=_("End the authorisation"),
    power=powers.REGISTER,
    run=_end,
    text=_("Sales of the game at these premises stop at this instant (14.I.6)."),
    icon="event_busy",
    danger=True,
    offered=_in_force,
)
TERMINAL = Act(
    name="terminal",
    title=_("Register a terminal"),
    power=powers.REGISTER,
    run=_register_terminal,
    form=_NewTerminal,
    icon="add_to_queue",
)
REENROL = Act(
    name="reenrol",
    title=_("New enrolment code"),
    power=powers.REGISTER,
    run=_reenrol,
    text=_("The present token goes on working until the new code is used."),
    icon="qr_code",
    offered=lambda by, terminal: terminal.revoked_at is None,
)
REVOKE = Act(
    name="revoke",
    title=_("Revoke the terminal"),
    power=powers.REGISTER,
    run=_revoke,
    text=_("The terminal ends for good; another one needs another code."),
    icon="block",
    danger=True,
    offered=lambda by, terminal: terminal.revoked_at is None,
)
OPERATOR = Act(
    name="operator",
    title=_("Register an operator"),
    power=powers.REGISTER,
    run=_register_operator,
    form=_NewOperator,
    icon="person_add",
    review=False,
)
PIN_RESET = Act(
    name="pin_reset",
    title=_("Set a PIN"),
    power=powers.REGISTER,
    run=_reset_pin,
    form=_Pin,
    icon="key",
    review=False,
    offered=lambda by, operator: bool(operator.is_active),
)
DEACTIVATE = Act(
    name="deactivate",
    title=_("End the operator's work here"),
    power=powers.REGISTER,
    run=_deactivate,
    text=_("The person signs on here no more, and every session ends now."),
    icon="person_off",
    danger=True,
    offered=lambda by, operator: bool(operator.is_active),
)
SUSPEND = Act(
    name="suspend",
    title=_("Suspend sales"),
    power=powers.SUSPEND,
    run=_suspend,
    form=_Why,
    icon="pause_circle",
    danger=True,
)
SUSPEND_ALL = Act(
    name="suspend_all",
    title=_("Suspend all sales"),
    power=powers.SUSPEND,
    run=_suspend,
    form=_Why,
    text=_("No terminal anywhere sells until this is lifted."),
    icon="pause_circle",
    danger=True,
)
RESUME = Act(
    name="resume",
    title=_("Lift the suspension"),
    power=powers.SUSPEND,
    run=_resume,
    text=_("Sales resume where no other suspension stands."),
    icon="play_circle",
    offered=lambda by, suspension: (
        suspension.lifted_at is None and suspension.cause == Suspension.Cause.STAFF
    ),
)


# --- Pages ----------------------------------------------------------------------------------------


class _Authorisations(ReadOnlyInline):
    model = Authorisation
    shown = ("game", "valid_from", "valid_until", "reference", "recorded_by")


class _Terminals(ReadOnlyInline):
    model = Terminal
    shown = ("code", "enrolled_at", "revoked_at")


class _Operators(ReadOnlyInline):
    model = Operator
    shown = ("number", "name", "is_active", "locked_until")


class _Suspensions(ReadOnlyInline):
    model = Suspension
    shown = ("reason", "since", "suspended_by", "lifted_at", "lifted_by")


@admin.register(Premises)
class PremisesAdmin(ReadOnlyAdmin):
    columns = ("code", "name", "kind", "municipality")
    shown = (
        "code",
        "name",
        "kind",
        "address",
        "municipality",
        "balance",
        "created_at",
        "created_by",
    )
    list_filter = ("kind",)
    search_fields = ("code", "name", "municipality")
    ordering = ("code",)
    read_power = powers.READ
    inlines = (_Authorisations, _Terminals, _Operators, _Suspensions)
    acts = (AUTHORISE, TERMINAL, OPERATOR, SUSPEND)
    list_acts = (REGISTER,)

    @admin.display(description=_("taken and not yet handed over"))
    def balance(self, row: Premises) -> str:
        return money(balance_cents(premises_account(row.pk)))


@admin.register(Authorisation)
class AuthorisationAdmin(ReadOnlyAdmin):
    columns = ("id", "premises", "game", "valid_from", "valid_until", "reference")
    list_filter = ("game",)
    search_fields = ("premises__code", "premises__name", "reference")
    read_power = powers.READ
    acts = (END,)


@admin.register(Terminal)
class TerminalAdmin(ReadOnlyAdmin):
    columns = ("code", "premises", "enrolled_at", "revoked_at")
    search_fields = ("code", "premises__code", "premises__name")
    ordering = ("code",)
    read_power = powers.READ
    inlines = (_Suspensions,)
    acts = (REENROL, SUSPEND, REVOKE)


@admin.register(Enrolment)
class EnrolmentAdmin(ReadOnlyAdmin):
    columns = ("id", "terminal", "issued_at", "issued_by", "expires_at", "used_at")
    search_fields = ("terminal__code",)
    read_power = powers.READ


@admin.register(Operator)
class OperatorAdmin(ReadOnlyAdmin):
    columns = ("number", "name", "premises", "is_active", "locked_until")
    list_filter = ("is_active",)
    search_fields = ("name", "premises__code", "premises__name")
    read_power = powers.READ
    acts = (PIN_RESET, DEACTIVATE)


@admin.register(OperatorSession)
class OperatorSessionAdmin(ReadOnlyAdmin):
    columns = ("id", "operator", "terminal", "started_at", "expires_at", "ended_at")
    search_fields = ("terminal__code",)
    read_power = powers.READ


@admin.register(BurntRequest)
class BurntRequestAdmin(ReadOnlyAdmin):
    columns = ("uuid", "terminal", "burnt_at")
    search_fields = ("uuid",)


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
    columns = ("reason", "scope", "since", "suspended_by", "lifted_at", "lifted_by")
    shown = (
        "scope",
        "reason",
        "cause",
        "since",
        "suspended_by",
        "suspended_in",
        "lifted_at",
        "lifted_by",
    )
    list_filter = (_StandingFilter,)
    search_fields = ("reason",)
    read_power = powers.READ
    acts = (RESUME,)
    list_acts = (SUSPEND_ALL,)

    @admin.display(description=_("where"))
    def scope(self, row: Suspension) -> Any:
        return _scope(row)


def suspensions_panel(request: HttpRequest) -> Table | None:
    if not signed_on.may(request, powers.READ):
        return None
    standing = Suspension.objects.filter(lifted_at=None)
    rows = [
        (
            link(each, each.reason),
            _scope(each),
            moment(each.since),
            each.suspended_by or each.get_cause_display(),
        )
        for each in standing.select_related("premises", "terminal", "suspended_by").order_by("pk")
    ]
    return Table(
        title=_("Suspensions in force"),
        icon="pause_circle",
        headers=(_("reason"), _("where"), _("since"), _("suspended by")),
        rows=rows,
        empty=_("Sales are suspended nowhere."),
        link=navigation.changelist_url(Suspension),
    )

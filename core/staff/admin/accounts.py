"""Show accounts, sessions and the log of acts in the admin, with the acts on them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from core.admin_support.acts import Act, Done
from core.admin_support.columns import NOTHING, link, moment
from core.admin_support.forms import ActForm, NewPasswordMixin, password_field
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.staff import accounts, powers, second_factor, services
from core.staff.actor import StaffActor
from core.staff.models import Proposal, SecondFactor, StaffSession, User
from core.staff.powers import Role

# --- Accounts -------------------------------------------------------------------------------------


class _Roles(ActForm):
    roles = forms.MultipleChoiceField(
        label=_("Roles"), choices=Role.choices, widget=forms.CheckboxSelectMultiple, required=False
    )

    def build(self) -> None:
        if self.target is not None:
            self.initial["roles"] = self.target.roles


class _Passwords(NewPasswordMixin, ActForm):
    password = password_field(_("New password"))
    password_again = password_field(_("New password, again"))


class _NewUser(NewPasswordMixin, _Roles):
    username = forms.CharField(label=_("User name"), max_length=60)
    full_name = forms.CharField(label=_("Full name"), max_length=120)
    appointment = forms.CharField(
        label=_("Reference of appointment"),
        max_length=120,
        required=False,
        help_text=_("The order that appoints an inspector (14.III.5.4.4)."),
    )
    password = password_field(_("New password"))
    password_again = password_field(_("New password, again"))
    field_order = ("username", "full_name", "roles", "appointment", "password", "password_again")


def _proposed(proposal: Proposal) -> Done:
    return Done(_("Proposed; another administrator confirms it."), proposal)


def _create(by: StaffActor, target: None, data: dict[str, Any]) -> Done:
    data.pop("password_again")
    return _proposed(accounts.account_propose(by=by, **data))


def _set_roles(by: StaffActor, user: User, data: dict[str, Any]) -> Done:
    return _proposed(accounts.roles_propose(by=by, user_id=user.pk, roles=data["roles"]))


def _reset(by: StaffActor, user: User, data: dict[str, Any]) -> Done:
    return _proposed(accounts.password_propose(by=by, user_id=user.pk, password=data["password"]))


def _factor_end(by: StaffActor, user: User, data: dict[str, Any]) -> Done:
    return _proposed(second_factor.factor_end_propose(by=by, user_id=user.pk))


def _deactivate(by: StaffActor, user: User, data: dict[str, Any]) -> Done:
    accounts.user_deactivate(by=by, user_id=user.pk)
    return Done(_("The account is closed."))


def _reactivate(by: StaffActor, user: User, data: dict[str, Any]) -> Done:
    return _proposed(accounts.reactivation_propose(by=by, user_id=user.pk))


def _is_another_account(by: StaffActor, user: User) -> bool:
    return user.pk != by.user_id


CREATE = Act(
    name="create",
    title=_("Propose an account"),
    power=powers.MANAGE_ACCOUNTS,
    run=_create,
    form=_NewUser,
    icon="person_add",
    review=False,
)
ROLES = Act(
    name="roles",
    title=_("Propose roles"),
    power=powers.MANAGE_ACCOUNTS,
    run=_set_roles,
    form=_Roles,
    icon="badge",
    offered=_is_another_account,
)
RESET = Act(
    name="password_reset",
    title=_("Propose a password"),
    power=powers.MANAGE_ACCOUNTS,
    run=_reset,
    form=_Passwords,
    icon="key",
    offered=_is_another_account,
    review=False,
)
FACTOR_END = Act(
    name="second_factor_end",
    title=_("Propose to end the second factor"),
    power=powers.MANAGE_ACCOUNTS,
    run=_factor_end,
    icon="phonelink_erase",
    danger=True,
    text=_("For a device that is lost. Make sure that it is the person who asks."),
    offered=lambda by, user: (
        services.second_factor_of(user) is not None and _is_another_account(by, user)
    ),
)
DEACTIVATE = Act(
    name="deactivate",
    title=_("Close the account"),
    power=powers.MANAGE_ACCOUNTS,
    run=_deactivate,
    text=_("The person cannot sign on any more, and every session of theirs ends now."),
    icon="person_off",
    danger=True,
    offered=lambda by, user: bool(user.is_active) and _is_another_account(by, user),
)
REACTIVATE = Act(
    name="reactivate",
    title=_("Propose to open the account again"),
    power=powers.MANAGE_ACCOUNTS,
    run=_reactivate,
    icon="person_check",
    offered=lambda by, user: (
        not user.is_active and user.name_erased_at is None and _is_another_account(by, user)
    ),
)


class _SecondFactors(ReadOnlyInline):
    model = SecondFactor
    shown = ("begun_at", "confirmed_at", "ended_at")
    show_change_link = False


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    quick = ("username__iexact",)
    read_power = powers.READ_ACCOUNTS
    inlines = (_SecondFactors,)
    columns = ("username", "full_name", "roles", "is_active", "last_login")
    shown = (
        "username",
        "full_name",
        "roles",
        "is_active",
        "must_set_password",
        "appointment",
        "last_login",
        "created_at",
        "second_from",
        "name_erased_at",
    )
    list_filter = ("is_active",)
    search_fields = ("username",)
    acts = (ROLES, RESET, FACTOR_END, DEACTIVATE, REACTIVATE)
    list_acts = (CREATE,)

    @admin.display(description=_("full name"))
    def full_name(self, row: User) -> str:
        return row.full_name


@admin.register(StaffSession)
class StaffSessionAdmin(ReadOnlyAdmin):
    read_power = powers.READ_ACCOUNTS
    columns = ("id", "user", "channel", "started_at", "expires_at", "ended_at")
    list_filter = ("channel",)
    search_fields = ("user__username",)
    people = ("user",)


# --- Who did what ---------------------------------------------------------------------------------


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    read_power = powers.READ_ACCOUNTS
    columns = ("at", "by", "about", "act")
    shown = ("at", "by", "about", "act")
    list_select_related = ("user",)

    @admin.display(description=_("time"), ordering="action_time")
    def at(self, row: LogEntry) -> Any:
        return moment(row.action_time)

    @admin.display(description=_("member of staff"), ordering="user")
    def by(self, row: LogEntry) -> Any:
        return link(row.user)

    @admin.display(description=_("about"), ordering="object_repr")
    def about(self, row: LogEntry) -> str:
        return row.object_repr or NOTHING

    @admin.display(description=_("act"), ordering="change_message")
    def act(self, row: LogEntry) -> str:
        return row.change_message or NOTHING


# The log is Django's own model. Our catalogues name it, the English one too.
NAMES_OF_THE_LOG = (gettext_noop("log entry"), gettext_noop("log entries"))


admin.site.unregister(Group)  # roles decide who may do what

"""Show accounts, sessions, proposals and the log of acts in the admin, with the acts on them."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation, proposal_texts, signed_on
from core.admin_support.acts import Act, Done
from core.admin_support.columns import NOTHING, link, moment, tag
from core.admin_support.contents import Table
from core.admin_support.forms import ActForm, NewPasswordMixin, password_field
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.database.due_work import due_work
from core.staff import accounts, powers, second_factor, services, two_persons
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal, SecondFactor, StaffSession, User
from core.staff.powers import Role

_PROPOSALS_SHOWN = 20


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
    offered=lambda by, user: not user.is_active and _is_another_account(by, user),
)


class _SecondFactors(ReadOnlyInline):
    model = SecondFactor
    shown = ("begun_at", "confirmed_at", "ended_at")
    show_change_link = False


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
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
    )
    list_filter = ("is_active",)
    search_fields = ("username", "full_name")
    acts = (ROLES, RESET, FACTOR_END, DEACTIVATE, REACTIVATE)
    list_acts = (CREATE,)


@admin.register(StaffSession)
class StaffSessionAdmin(ReadOnlyAdmin):
    read_power = powers.READ_ACCOUNTS
    columns = ("id", "user", "channel", "started_at", "expires_at", "ended_at")
    list_filter = ("channel",)
    search_fields = ("user__username", "user__full_name")


# --- Proposals ------------------------------------------------------------------------------------


class _Reason(ActForm):
    reason = forms.CharField(
        label=_("Reason"), max_length=400, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )


def _is_pending(proposal: Proposal) -> bool:
    return not Decision.objects.filter(proposal=proposal).exists()


def _may_confirm(by: StaffActor, proposal: Proposal) -> bool:
    is_another = by.user_id != proposal.proposed_by_id and by.session_id != proposal.proposed_in_id
    return is_another and _is_pending(proposal) and not _hindrance(by, proposal)


_LAPSES = {
    two_persons.Lapse.OLD: _("Too old"),
    two_persons.Lapse.PROPOSER: _("Proposer's account changed"),
}


def _hindrance(by: StaffActor, proposal: Proposal) -> Any:
    """Return why this person cannot confirm a proposal of another one that waits, or ""."""
    now = clock.recent()[0]
    lapse = two_persons.lapse_of(proposal, now)
    if lapse is not None:
        return tag("rejected", _LAPSES[lapse])
    if not two_persons.may_be_second(by, now):
        return format_html("{} {}", _("Your account is too new until"), moment(by.second_from))
    return ""


def _confirm(by: StaffActor, proposal: Proposal, data: dict[str, Any]) -> Done:
    two_persons.confirm(proposal=proposal.uuid, by=by)
    return Done(_("The proposal is confirmed and carried out."))


def _reject(by: StaffActor, proposal: Proposal, data: dict[str, Any]) -> Done:
    two_persons.reject(proposal=proposal.uuid, by=by, reason=data["reason"])
    return Done(_("Rejected."))


CONFIRM = Act(
    name="confirm",
    title=_("Confirm"),
    power=two_persons.power_of,
    run=_confirm,
    offered=_may_confirm,
    text=_("Compare what is written here with your own source; on confirming, it is done."),
    facts=proposal_texts.content_facts,
    icon="check_circle",
)
REJECT = Act(
    name="reject",
    title=_("Reject"),
    power=two_persons.power_of,
    run=_reject,
    form=_Reason,
    icon="cancel",
    offered=lambda by, proposal: _is_pending(proposal),
    facts=proposal_texts.content_facts,
    danger=True,
    review=False,
)


class _DecisionFilter(admin.SimpleListFilter):
    title = _("decision")
    parameter_name = "decision"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("pending", _("Waiting")), *Decision.Verdict.choices]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "pending":
            return queryset.filter(decision=None)
        return queryset.filter(decision__verdict=self.value()) if self.value() else queryset


class _DecisionInline(ReadOnlyInline):
    model = Decision
    fk_name = "proposal"
    shown = ("verdict", "decided_by", "decided_at", "reason", "decided_in")


@admin.register(Proposal)
class ProposalAdmin(ReadOnlyAdmin):
    columns = ("kind_text", "about", "proposed_by", "proposed_at", "state")
    shown = (
        "kind_text",
        "content_shown",
        "proposed_by",
        "proposed_at",
        "proposed_in",
        "good_until",
        "state",
    )
    list_filter = (_DecisionFilter,)
    list_select_related = ("proposed_by__given__decision", "decision")
    told = ("subject", "kind")
    search_fields = ("subject", "kind")
    read_power = powers.READ_PROPOSALS
    acts = (CONFIRM, REJECT)
    inlines = (_DecisionInline,)

    @admin.display(description=_("act"))
    def kind_text(self, row: Proposal) -> Any:
        return proposal_texts.kind_text(row)

    @admin.display(description=_("about"))
    def about(self, row: Proposal) -> Any:
        return proposal_texts.subject_text(row)

    @admin.display(description=_("content"))
    def content_shown(self, row: Proposal) -> Any:
        return proposal_texts.content_html(row)

    @admin.display(description=_("state"))
    def state(self, row: Proposal) -> Any:
        decision: Decision | None = getattr(row, "decision", None)
        if decision is None:
            lapse = two_persons.lapse_of(row, clock.recent()[0])
            return tag("rejected", _LAPSES[lapse]) if lapse else tag("pending", _("Waiting"))
        return tag(decision.verdict, decision.get_verdict_display())


def proposals_panel(request: HttpRequest) -> Table | None:
    if not signed_on.may(request, powers.READ_PROPOSALS):
        return None
    by = signed_on.actor(request)
    rows = []
    waiting = Proposal.objects.filter(decision=None).select_related("proposed_by__given__decision")
    for proposal in waiting.order_by("pk")[:_PROPOSALS_SHOWN]:
        if not by.may(two_persons.power_of(proposal)):
            next_step: Any = NOTHING
        elif _may_confirm(by, proposal):
            next_step = tag("open", _("For you to decide"))
        else:
            next_step = _hindrance(by, proposal) or _("Waits for another person")
        rows.append(
            (
                link(proposal, proposal_texts.kind_text(proposal)),
                proposal_texts.subject_text(proposal),
                proposal.proposed_by,
                moment(proposal.proposed_at),
                next_step,
            )
        )
    return Table(
        title=_("Waiting for a second person"),
        icon="group",
        headers=(_("act"), _("about"), _("proposed by"), _("proposed at"), ""),
        rows=rows,
        empty=_("Nothing waits for a decision."),
        link=navigation.changelist_url(Proposal) + "?decision=pending",
    )


def tasks_panel(request: HttpRequest) -> Table | None:
    """Return a table of the tasks that have work due, with the number of pieces.

    Work is normally done within seconds of being due.
    """
    due = [(work.task.name, len(list(work.due()))) for work in due_work()]
    return Table(
        title=_("Tasks due"),
        icon="pending_actions",
        headers=(_("task"), _("due")),
        rows=[row for row in due if row[1]],
        empty=_("No task is due."),
    )


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


# The log is Django's own model: its names can be changed only here, after Django has loaded it.
LogEntry._meta.verbose_name = _("act in this administration")
LogEntry._meta.verbose_name_plural = _("acts in this administration")


admin.site.unregister(Group)  # roles decide who may do what

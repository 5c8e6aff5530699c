"""Show proposals in the admin with the decisions on them, and the tasks that have work due."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation, proposal_texts, signed_on
from core.admin_support.acts import Act, Done
from core.admin_support.columns import NOTHING, link, moment, named, tag
from core.admin_support.contents import Table, Waiting
from core.admin_support.forms import ActForm
from core.admin_support.lists.paging import List
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.database.due_work import due_work
from core.longwork.services import work_ask
from core.staff import powers, two_persons
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal

_PROPOSALS_SHOWN = 50
_MOST_WAITING = 200


class _Reason(ActForm):
    reason = forms.CharField(
        label=_("Reason"), max_length=400, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )


def _is_pending(proposal: Proposal) -> bool:
    return not Decision.objects.filter(proposal=proposal).exists()


def may_confirm(by: StaffActor, proposal: Proposal) -> bool:
    """Return whether the person is a second person for the proposal; the power is not asked."""
    return may_be_second(by, proposal) and _is_pending(proposal)


def may_be_second(by: StaffActor, proposal: Proposal) -> bool:
    """Return `may_confirm` of a proposal that was just read as one that waits."""
    is_another = by.user_id != proposal.proposed_by_id and by.session_id != proposal.proposed_in_id
    return is_another and not hindrance(by, proposal)


_LAPSES = {
    two_persons.Lapse.OLD: _("Too old"),
    two_persons.Lapse.PROPOSER: _("Proposer's account changed"),
}


def hindrance(by: StaffActor, proposal: Proposal) -> Any:
    """Return why this person cannot confirm a proposal of another one that waits, or ""."""
    now = clock.recent()[0]
    lapse = two_persons.lapse_of(proposal, now)
    if lapse is not None:
        return tag("rejected", _LAPSES[lapse])
    if not two_persons.may_be_second(by, now):
        return format_html("{} {}", _("Your account is too new until"), moment(by.second_from))
    return ""


def _confirm(by: StaffActor, proposal: Proposal, data: dict[str, Any]) -> Done:
    if two_persons.is_long(proposal) and two_persons.need_confirmable(
        proposal=proposal.uuid, by=by
    ):
        work = work_ask(
            kind=two_persons.CONFIRMING, by=by, content={"proposal": str(proposal.uuid)}
        )
        return Done(_("It takes a while. It is done once this says so."), row=work)
    two_persons.confirm(proposal=proposal.uuid, by=by)
    return Done(_("The proposal is confirmed and carried out."))


def _reject(by: StaffActor, proposal: Proposal, data: dict[str, Any]) -> Done:
    two_persons.reject(proposal=proposal.uuid, by=by, reason=data["reason"])
    return Done(_("Rejected."))


CONFIRM = Act(
    name="confirm",
    due=True,
    title=_("Confirm"),
    power=two_persons.power_of,
    run=_confirm,
    offered=may_confirm,
    text=_("Compare what is written here with your own source; on confirming, it is done."),
    facts=proposal_texts.content_facts,
    icon="check_circle",
)
REJECT = Act(
    name="reject",
    due=True,
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
            return queryset.filter(decided=False)
        return queryset.filter(decision__verdict=self.value()) if self.value() else queryset


class _DecisionInline(ReadOnlyInline):
    model = Decision
    fk_name = "proposal"
    shown = ("verdict", "decided_by", "decided_at", "reason", "decided_in")


class _Proposals(List):
    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        proposal_texts.read_together(self.result_list)


@admin.register(Proposal)
class ProposalAdmin(ReadOnlyAdmin):
    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[List]:
        return _Proposals

    columns = ("kind_text", "about", "proposed_by", "proposed_at", "state")
    shown = (
        "kind_text",
        "content_shown",
        "proposed_by",
        "proposed_at",
        "proposed_in",
        "good_until",
        "state",
        "correction",
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

    told_as = staticmethod(proposal_texts.title_text)

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

    @admin.display(description=_("correction"))
    def correction(self, row: Proposal) -> Any:
        """Link to the form where its proposer corrects it: it is rejected and proposed again."""
        address = proposal_texts.corrected_at(row) if _is_pending(row) else ""
        if not address:
            return NOTHING
        return format_html('<a class="text-link" href="{}">{}</a>', address, _("Correct it"))


def address_of(proposal: Proposal) -> str:
    """Return the address of the page on which a second person decides on a proposal."""
    return reverse("admin:decision", args=[proposal.uuid])


def waiting_for(by: StaffActor) -> list[Proposal]:
    """Return the proposals that this person can confirm now, the oldest first."""
    kinds = [kind.name for kind in two_persons.kinds().values() if by.may(kind.decides)]
    of_others = _undecided().filter(kind__in=kinds).exclude(proposed_by=by.user_id)
    return [row for row in of_others[:_MOST_WAITING] if may_be_second(by, row)]


def decisions_waiting(request: HttpRequest) -> list[Waiting]:
    """Return the proposals that this person can decide now, the oldest first."""
    if not signed_on.may(request, powers.READ_PROPOSALS):
        return []
    proposals = waiting_for(signed_on.actor(request))
    proposal_texts.read_together(proposals)
    return [
        Waiting(
            _("For you to decide"),
            format_html(
                '<a class="text-link" href="{}">{}</a> · {}',
                address_of(proposal),
                proposal_texts.title_text(proposal),
                named(proposal.proposed_by),
            ),
            proposal.proposed_at,
            opens=reverse("admin:decisions"),
        )
        for proposal in proposals
    ]


def _undecided() -> QuerySet[Proposal]:
    waiting = Proposal.objects.filter(decided=False).select_related("proposed_by__given__decision")
    return waiting.order_by("pk")


def proposals_panel(request: HttpRequest) -> Table | None:
    """Return a table of the proposals that wait for a second person, with what hinders this one."""
    if not signed_on.may(request, powers.READ_PROPOSALS):
        return None
    by = signed_on.actor(request)
    rows, proposals = [], list(_undecided()[:_PROPOSALS_SHOWN])
    proposal_texts.read_together(proposals)
    for proposal in proposals:
        if not by.may(two_persons.power_of(proposal)):
            next_step: Any = NOTHING
        elif may_be_second(by, proposal):
            next_step = tag("open", _("For you to decide"))
        else:
            next_step = hindrance(by, proposal) or _("Waits for another person")
        rows.append(
            (
                link(proposal, proposal_texts.kind_text(proposal)),
                proposal_texts.subject_text(proposal),
                named(proposal.proposed_by),
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


def story(request: HttpRequest, row: Any) -> list[Model]:
    """Return the proposals by which a row was made or changed, with their decisions."""
    if not signed_on.may(request, powers.READ_PROPOSALS):
        return []
    keys = [
        getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if field.related_model is Proposal
    ]
    proposals = list(Proposal.objects.filter(pk__in=[key for key in keys if key]))
    return [*proposals, *Decision.objects.filter(proposal__in=proposals)]

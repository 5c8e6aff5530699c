"""Show tickets without a confirmed print, and decide about them by two persons [E11]."""

from typing import Any

from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import PROPOSED, Act, Done
from core.admin_support.forms import ActForm
from core.admin_support.readonly import ReadOnlyAdmin
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.models.tickets import Unprinted
from lototrot.services.settlement.unprinted import late_prints, unprinted_decide

Data = dict[str, Any]


class _Verdict(ActForm):
    verdict = forms.ChoiceField(label=_("Verdict"), choices=Unprinted.Verdict.choices)
    reason = forms.CharField(label=_("Reason"), max_length=200)


def _decide_all(by: StaffActor, contest: Contest, data: Data) -> Done:
    proposal = unprinted_decide(by=by, contest_id=contest.pk, **data)
    return Done(PROPOSED, proposal)


def _decide_one(by: StaffActor, row: Unprinted, data: Data) -> Done:
    proposal = unprinted_decide(by=by, contest_id=row.contest_id, tickets=[row.ticket.uuid], **data)
    return Done(PROPOSED, proposal)


def _waits(by: StaffActor, contest: Contest) -> bool:
    closed = contest.state == Contest.State.CLOSED
    return bool(closed and contest.unprinted.filter(verdict="", ticket__void=None).exists())


_TEXT = _("Voided, a ticket leaves a refund due and the seal is amended; or it stands [E11].")
DECIDE_ALL = Act(
    name="unprinted",
    title=_("Tickets without a confirmed print"),
    power=powers.DECIDE_UNPRINTED,
    run=_decide_all,
    form=_Verdict,
    text=_TEXT,
    icon="print_error",
    danger=True,
    offered=_waits,
)
DECIDE_ONE = Act(
    name="decide",
    title=_("Decide about this ticket"),
    power=powers.DECIDE_UNPRINTED,
    run=_decide_one,
    form=_Verdict,
    text=_TEXT,
    icon="print_error",
    danger=True,
    offered=lambda by, row: not row.verdict,
)


@admin.register(Unprinted)
class UnprintedAdmin(ReadOnlyAdmin):
    columns = ("id", "ticket", "contest", "listed_at", "confirmed_late", "verdict", "decided_at")
    shown = (
        *("ticket", "contest", "listed_at", "confirmed_late", "late_prints"),
        *("verdict", "reason", "proposal", "decided_at"),
    )
    list_select_related = ("ticket__print_confirmation", "contest")
    list_filter = ("verdict",)
    read_power = powers.WATCH
    acts = (DECIDE_ONE,)

    @admin.display(description=_("print confirmed after the list"))
    def confirmed_late(self, row: Unprinted) -> Any:
        confirmation = getattr(row.ticket, "print_confirmation", None)
        return confirmation and confirmation.confirmed_at

    @admin.display(description=_("prints confirmed after the list, by terminal"))
    def late_prints(self, row: Unprinted) -> Any:
        late = late_prints(row.contest_id)
        return ", ".join(f"{code}: {number}" for code, number in late.items()) or "-"

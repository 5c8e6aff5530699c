"""Propose one act for many premises in the admin, and show the second person each of them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext_lazy as _

from core.admin_support.acts import Act, Done
from core.admin_support.columns import NOTHING, link, moment, money
from core.admin_support.contents import ProposalWords
from core.admin_support.forms import ActForm, EurosField
from core.admin_support.lists import choosing
from core.database.reading.batches import row_by, the
from core.kernel.errors import DomainError
from core.premises import powers, suspending
from core.premises.admin.words import and_more
from core.premises.chosen import Outcome, Plan
from core.premises.models import Premises, Suspension
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.statements import guarantee
from core.statements import powers as statements
from core.statements.guarantee import MINUTE_CAP_CENTS

Data = dict[str, Any]
Row = Mapping[str, Any]
# The sentences of core.premises.suspending and core.statements.guarantee for what is left out.
_LEFT_OUT = (
    gettext_noop("Sales are suspended there already."),
    gettext_noop("No suspension of these premises is in force."),
    gettext_noop("These premises have this limit already."),
    gettext_noop("Another limit begins there later, and would replace this one."),
    gettext_noop("There are no such premises."),
)


# --- Suspensions of premises, and the changes that a proposal makes -------------------------------


def _suspensions(rows: Iterable[Row]) -> dict[int, Suspension]:
    """Return the suspensions that the rows name, by their key."""
    return Suspension.objects.in_bulk([key for row in rows for key in row["standing"]])


def _selling(rows: Sequence[Row]) -> list[Any]:
    return [_("sales open") for _row in rows]


def _suspended(rows: Sequence[Row]) -> list[Any]:
    """Return the reason and the begin of each suspension in force, premises by premises."""
    suspensions = _suspensions(rows)
    return [
        format_html_join(
            SafeString("<br>"),
            "{} · {}",
            ((suspensions[key].reason, moment(suspensions[key].since)) for key in row["standing"]),
        )
        for row in rows
    ]


def _limit_text(limit_cents: int | None, minute_cap_cents: int | None) -> str:
    if limit_cents is None:
        return gettext("no limit: sells nothing")
    limits = {"limit": money(limit_cents), "cap": money(minute_cap_cents)}
    return gettext("%(limit)s · %(cap)s a minute") % limits


def _limits(rows: Sequence[Row]) -> list[Any]:
    standing = [row["standing"] for row in rows]
    return [_limit_text(each["limit_cents"], each["minute_cap_cents"]) for each in standing]


def _changes(rows: Sequence[Row], now: Sequence[Any], then: Any) -> list[tuple[Any, Any, Any]]:
    """Return premises as a link with their name, their present state, and their state after it."""
    places = {
        place.code: place
        for place in Premises.objects.filter(code__in=[row["premises"] for row in rows])
    }
    return [
        (link(places.get(row["premises"]), f"{row['premises']} · {row['name']}"), stands, then)
        for row, stands in zip(rows, now, strict=True)
    ]


def _table(changes: Sequence[tuple[Any, Any, Any]]) -> SafeString:
    head = format_html_join(
        "",
        '<th scope="col">{}</th>',
        ((title,) for title in (gettext("Premises"), gettext("Now"), gettext("Afterwards"))),
    )
    line = '<tr><th scope="row">{}</th><td>{}</td><td><strong>{}</strong></td></tr>'
    body = format_html_join("", line, changes)
    return format_html(
        '<table class="house-document"><thead><tr>{}</tr></thead>{}</table>', head, body
    )


def _many(number: int) -> str:
    return ngettext("%(n)s premises", "%(n)s premises", number) % {"n": number}


# --- Forms ----------------------------------------------------------------------------------------


class _Chosen(ActForm):
    """The input of an act on the premises that were chosen; their keys are in the address."""

    live_template = "premises/chosen_live.html"
    then: Any = ""

    def build(self) -> None:
        premises = Premises.objects.filter(pk__in=choosing.keys(self.asked)).order_by("code")
        self.codes = list(premises.values_list("code", flat=True))

    def plan(self) -> Plan:
        raise NotImplementedError

    def now(self, rows: Sequence[Row]) -> list[Any]:
        raise NotImplementedError

    def live(self) -> Data:
        """Return each of the premises with its state after the act, and those left out."""
        try:
            plan = self.plan()
        except DomainError as error:
            return {"refused": gettext(error.message)}
        rows = plan.rows()
        return {
            "count_text": _many(len(rows)),
            "changes": _changes(rows, self.now(rows), self.then),
            "left_out": [(r.premises, r.name, gettext(r.detail)) for r in plan.refused],
        }

    def clean(self) -> Data:
        data: Data = super().clean() or {}
        try:
            self.plan().need_some()
        except DomainError as error:
            raise ValidationError(gettext(error.message)) from error
        return {**data, "premises": self.codes}


class _Suspend(_Chosen):
    reason = forms.CharField(label=_("Reason"), max_length=200)
    then = _("sales suspended")
    now = staticmethod(_selling)

    def plan(self) -> Plan:
        return suspending.suspending_plan(self.codes)


class _Lift(_Chosen):
    reason = forms.CharField(label=_("Reason"), max_length=200)
    then = _("sales open")
    now = staticmethod(_suspended)

    def plan(self) -> Plan:
        return suspending.lifting_plan(self.codes)


class _Limit(_Chosen):
    limit_cents = EurosField(label=_("Limit"), min_value=0)
    minute_cap_cents = EurosField(
        label=_("Most per terminal and minute"),
        min_value=0,
        initial=f"{MINUTE_CAP_CENTS // 100}.00",
    )
    reference = forms.CharField(label=_("Reference"), max_length=120)
    now = staticmethod(_limits)

    def plan(self) -> Plan:
        data = getattr(self, "cleaned_data", {})
        amounts = (data.get("limit_cents"), data.get("minute_cap_cents"))
        self.then = NOTHING if None in amounts else _limit_text(*amounts)
        # While an amount is missing no premises have it: all that can get one are shown.
        limit_cents, minute_cap_cents = (-1 if cents is None else cents for cents in amounts)
        return guarantee.limits_plan(self.codes, limit_cents, minute_cap_cents)


# --- Acts -----------------------------------------------------------------------------------------


def _proposed(outcome: Outcome) -> Done:
    done_text = gettext("Proposed for %(many)s; a second person confirms it.")
    message = done_text % {"many": _many(len(outcome.proposal.content["premises"]))}
    if outcome.refused:
        names = ", ".join(row.premises for row in outcome.refused)
        message += " " + gettext("Left out: %(names)s.") % {"names": names}
    return Done(message, outcome.proposal)


def _suspend(by: StaffActor, target: None, data: Data) -> Done:
    return _proposed(suspending.suspending_propose(by=by, **data))


def _lift(by: StaffActor, target: None, data: Data) -> Done:
    return _proposed(suspending.lifting_propose(by=by, **data))


def _limit(by: StaffActor, target: None, data: Data) -> Done:
    return _proposed(guarantee.limits_propose(by=by, **data))


SUSPEND_CHOSEN = Act(
    name="suspend_chosen",
    title=_("Propose to suspend"),
    power=powers.SUSPEND,
    run=_suspend,
    form=_Suspend,
    text=_(
        "They sell until a second person confirms it. One of them is suspended at once on its"
        " own page."
    ),
    icon="pause_circle",
)
LIFT_CHOSEN = Act(
    name="lift_chosen",
    title=_("Propose to lift the suspensions"),
    power=powers.SUSPEND,
    run=_lift,
    form=_Lift,
    text=_("Suspensions of all sales, or of one terminal, stay in force."),
    icon="play_circle",
)
LIMIT_CHOSEN = Act(
    name="limit_chosen",
    title=_("Propose a guarantee limit"),
    power=statements.SET_GUARANTEE,
    run=_limit,
    form=_Limit,
    text=_("It is in force from the confirmation on, the same for each of them."),
    icon="shield",
)
CHOSEN = (SUSPEND_CHOSEN, LIFT_CHOSEN, LIMIT_CHOSEN)


# --- What the second person reads -----------------------------------------------------------------


def _subject(proposal: Proposal) -> str:
    return and_more([row["name"] for row in proposal.content["premises"]])


def _facts_suspending(proposal: Proposal) -> list[tuple[Any, Any]]:
    rows = proposal.content["premises"]
    return [
        (_("reason"), proposal.content["reason"]),
        (_many(len(rows)), _table(_changes(rows, _selling(rows), _("sales suspended")))),
    ]


def _facts_lifting(proposal: Proposal) -> list[tuple[Any, Any]]:
    rows = proposal.content["premises"]
    return [
        (_("reason"), proposal.content["reason"]),
        (_many(len(rows)), _table(_changes(rows, _suspended(rows), _("sales open")))),
    ]


def _facts_limits(proposal: Proposal) -> list[tuple[Any, Any]]:
    content = proposal.content
    rows = content["premises"]
    then = _limit_text(content["limit_cents"], content["minute_cap_cents"])
    return [
        (_("limit"), money(content["limit_cents"])),
        (_("most per terminal and minute"), money(content["minute_cap_cents"])),
        (_("reference"), content["reference"]),
        (_many(len(rows)), _table(_changes(rows, _limits(rows), then))),
    ]


def _suspension(proposal: Proposal) -> Suspension:
    related = ("premises", "terminal", "resolution")
    return the(row_by(Suspension, "pk", proposal.content["suspension"], *related))


def _where(proposal: Proposal) -> str:
    row = _suspension(proposal)
    return link(row.premises or row.terminal)


def _facts_resuming(proposal: Proposal) -> list[tuple[Any, Any]]:
    row = _suspension(proposal)
    return [
        (_("where"), _where(proposal)),
        (_("resolution"), link(row.resolution)),
        (_("since"), moment(row.since)),
    ]


WORDS = {
    "premises.resuming": ProposalWords("suspension", _where, _facts_resuming),
    "premises.suspending": ProposalWords("premises", _subject, _facts_suspending),
    "premises.lifting": ProposalWords("premises", _subject, _facts_lifting),
    "statements.guarantees": ProposalWords("premises", _subject, _facts_limits),
}

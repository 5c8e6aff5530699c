"""Show contests in the admin and run the acts that publish, open, move and close them."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation
from core.admin_support.acts import PROPOSED, Act, Done, Facts
from core.admin_support.columns import day, lines, link, listed, moment, money, named, tag
from core.admin_support.contents import Table
from core.admin_support.forms import ActForm, MomentField
from core.admin_support.readonly import ReadOnlyAdmin, ReadOnlyInline
from core.database import clock
from core.kernel.days import natural_day
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.admin import preparing, settling, unprinted
from lototrot.admin.words import GATES, missing_text
from lototrot.engine.races import numbers_of
from lototrot.models.contest import (
    Contest,
    ContestLeg,
    DisplayAcknowledgement,
    Publication,
    ScheduleChange,
)
from lototrot.models.preparing import ContestChange, Discard
from lototrot.models.settlement import Settlement
from lototrot.models.tickets import PremisesSales, Ticket
from lototrot.selectors.retired import annulled_left, kept_where, left
from lototrot.selectors.settlement.results import results_missing
from lototrot.services.contest import closing, schedule
from lototrot.services.tickets import putting_on_sale

Data = dict[str, Any]
_CONTESTS_SHOWN = 12


# --- Acts -----------------------------------------------------------------------------------------


class _Rules(ActForm):
    """The rules that a contest displays: those of its bet type, or of its last contest."""

    def build(self) -> None:
        bet_type = self.target.bet_type
        earlier = Publication.objects.filter(contest__bet_type=bet_type).order_by("pk").last()
        self.initial = bet_type.rules or (earlier.rules if earlier else {})
        for code, language in settings.LANGUAGES:
            self.fields[code] = forms.CharField(
                label=_("Rules in %(language)s") % {"language": language},
                widget=forms.Textarea(attrs={"rows": 8}),
            )


class _Schedule(ActForm):
    to_at = MomentField(label=_("Scheduled closing"))

    def build(self) -> None:
        self.initial["to_at"] = self.target.scheduled_close_at


class _Postponement(_Schedule):
    reason = forms.CharField(label=_("Reason"), max_length=400)


def _publish(by: StaffActor, contest: Contest, data: Data) -> Done:
    putting_on_sale.contest_publish(by=by, contest=contest, rules=data)
    return Done(_("Programme, rules and percentage are published to the terminals."))


def _open(by: StaffActor, contest: Contest, data: Data) -> Done:
    putting_on_sale.contest_open_propose(by=by, contest=contest)
    return Done(PROPOSED)


def _close(by: StaffActor, contest: Contest, data: Data) -> Done:
    if closing.contest_close_early(by=by, contest_id=contest.pk):
        return Done(_("The contest is closed."))
    return Done(_("The contest was closed already."))


def _move(by: StaffActor, contest: Contest, data: Data) -> Done:
    schedule.schedule_move(by=by, contest_id=contest.pk, to_at=data["to_at"])
    return Done(_("The scheduled closing is moved."))


def _postpone(by: StaffActor, contest: Contest, data: Data) -> Done:
    proposal = schedule.schedule_postpone(by=by, contest_id=contest.pk, **data)
    return Done(_("Proposed; a person of the stewards' desk confirms it."), proposal)


def _gates(contest: Contest) -> Facts:
    return [(gate.article, GATES[gate.code]) for gate in _missing(contest)] or [
        (_("missing"), gettext("Nothing: every gate is open."))
    ]


def _missing(contest: Contest) -> Any:
    return putting_on_sale.contest_gates(contest=contest)


def _is(*states: str) -> Any:
    return lambda by, contest: contest.state in states


def _movable(by: StaffActor, contest: Contest) -> bool:
    movable = contest.state in (Contest.State.DRAFT, *Contest.UNCLOSED)
    return bool(movable and contest.scheduled_close_at > clock.now())


PUBLISH = Act(
    name="publish",
    title=_("Publish to the terminals"),
    power=powers.PREPARE_CONTEST,
    run=_publish,
    form=_Rules,
    icon="campaign",
    text=_("Premises display this before selling. It cannot be changed afterwards (5.2, 6.2)."),
    offered=lambda by, contest: (
        contest.state == Contest.State.DRAFT and not hasattr(contest, "publication")
    ),
)
OPEN = Act(
    name="open",
    due=True,
    title=_("Put on sale"),
    power=powers.OPEN_CONTEST,
    run=_open,
    icon="play_circle",
    offered=lambda by, contest: contest.state == Contest.State.DRAFT and not _missing(contest),
    facts=_gates,
    text=_("It opens only when no gate is missing. Its terms then cannot be changed."),
)
CLOSE = Act(
    name="close",
    title=_("Close now"),
    power=powers.CLOSE_CONTEST,
    run=_close,
    icon="stop_circle",
    offered=_is(*Contest.UNCLOSED),
    danger=True,
    text=_("Sales end at once, and the contest never reopens (14.III.4)."),
)
MOVE = Act(
    name="schedule",
    title=_("Move the closing earlier"),
    power=powers.CLOSE_CONTEST,
    run=_move,
    form=_Schedule,
    icon="history",
    offered=_movable,
    text=_("Published in the public log at once."),
)
POSTPONE = Act(
    name="postpone",
    title=_("Move the closing later"),
    power=powers.POSTPONE_CLOSING,
    run=_postpone,
    form=_Postponement,
    icon="more_time",
    offered=_movable,
    text=_("At most to the announced start of the first race. The stewards' desk confirms it."),
)


# --- Pages ----------------------------------------------------------------------------------------


class _Legs(ReadOnlyInline):
    model = ContestLeg
    shown = ("position", "race", "starts", "offered")
    show_change_link = False

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("race__racecourse", "contest")

    @admin.display(description=_("scheduled start"))
    def starts(self, row: ContestLeg) -> str:
        return moment(row.race.scheduled_start_at)

    @admin.display(description=_("numbers on sale"))
    def offered(self, row: ContestLeg) -> str:
        masks = row.contest.offered_masks
        return ", ".join(map(str, numbers_of(masks[row.position - 1]))) if masks else "–"


class _Publications(ReadOnlyInline):
    model = Publication
    shown = ("rules", "prize_percent", "published_at", "published_by", "published_in")


class _Changes(ReadOnlyInline):
    model = ScheduleChange
    shown = ("from_at", "to_at", "changed_at", "changed_by", "changed_in")


class _Terms(ReadOnlyInline):
    model = ContestChange
    shown = ("before", "after", "changed_at", "changed_by", "changed_in")


class _PremisesSales(ReadOnlyInline):
    model = PremisesSales
    shown = ("premises", "sold_cents")


class _Discards(ReadOnlyInline):
    model = Discard
    shown = ("reason", "discarded_at", "proposal")


class _Settlements(ReadOnlyInline):
    model = Settlement
    shown = ("number", "in_force", "takings_cents", "winning_tickets", "prizes_cents", "settled_at")


@admin.register(Contest)
class ContestAdmin(ReadOnlyAdmin):
    quick = ("day", "meeting__name__icontains")
    read_power = powers.READ

    def told_as(self, row: Contest) -> str:
        return capfirst(named(row))

    asks = ("day",)
    columns = ("__str__", "state", "meeting", "price_cents", "scheduled_close_at", "closed_at")
    shown = (
        "meeting",
        "day",
        "state",
        "obstacles",
        "scheduled_close_at",
        "opened_at",
        "closed_at",
        "closing_cause",
        "takings",
        "tickets",
        "bet_type",
        "ticket_model",
        "price_cents",
        "max_bets",
        "premises_cap_cents",
        "correction_window_s",
        "correction_approval",
        "created_at",
        "created_by",
    )
    list_filter = ("state", "bet_type")
    list_select_related = ("meeting", "bet_type")
    ordering = ("-day", "-pk")
    told = ("bet_type_code",)
    search_fields = ("meeting__name", "meeting__reference", "bet_type_code")
    inlines = (_Legs, _PremisesSales, _Settlements, _Publications, _Terms, _Changes, _Discards)
    acts = (
        preparing.CHANGE,
        PUBLISH,
        OPEN,
        MOVE,
        POSTPONE,
        CLOSE,
        preparing.DISCARD,
        unprinted.DECIDE_ALL,
        settling.VOID,
        settling.SETTLE,
        settling.ORDER,
        settling.BLOCK,
    )

    @admin.display(description=_("what is missing"))
    def obstacles(self, row: Contest) -> Any:
        if row.state == Contest.State.DRAFT:
            return lines(f"{GATES[gate.code]} ({gate.article})" for gate in _missing(row)) or "–"
        if row.state in Contest.UNORDERED:
            return lines(missing_text(gap) for gap in results_missing(row)) or "–"
        return "–"

    @admin.display(description=_("takings"))
    def takings(self, row: Contest) -> Any:
        """Show the takings of the settlement in force, or else a link to the account.

        The account may have ten million transfers, so it is summed only on its own page.
        """
        settled = row.settlements.filter(in_force=True).first()
        return (
            money(settled.takings_cents)
            if settled
            else link(row.takings_account, _("See the account"))
        )

    @admin.display(description=_("tickets"))
    def tickets(self, row: Contest) -> Any:
        here = listed(Ticket, _("See them"), contest__id__exact=row.pk)
        tickets_left = left(row.pk)
        if tickets_left is None:
            return here
        text = _(
            "%(count)s on which nobody has a right and %(annulled)s annulled ones are in the"
            " archives of %(months)s"
        ) % {
            "count": tickets_left.tickets,
            "annulled": annulled_left(row.pk),
            "months": ", ".join(f"{m} ({place})" for m, place in kept_where(row.pk).items()),
        }
        return format_html("{} · {}", here, text)


@admin.register(DisplayAcknowledgement)
class DisplayAcknowledgementAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("id", "contest", "terminal", "operator", "acknowledged_at")
    list_select_related = ("contest", "terminal", "operator")
    search_fields = ("terminal__code",)


# --- Today ----------------------------------------------------------------------------------------


def _closing(contest: Contest, now: Any) -> Any:
    if contest.state == Contest.State.OPEN and contest.scheduled_close_at > now:
        seconds = int((contest.scheduled_close_at - now).total_seconds())
        text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        until = moment(contest.scheduled_close_at)
        return format_html(
            '<time data-seconds-left="{}" title="{}">{}</time>', seconds, until, text
        )
    return moment(contest.closed_at or contest.scheduled_close_at)


def _next(contest: Contest) -> Any:
    """Return the step that the contest waits for, as text."""
    match contest.state:
        case Contest.State.DRAFT:
            missing = len(_missing(contest))
            return _("%(count)s gates missing") % {"count": missing} if missing else _("To open")
        case Contest.State.CLOSED:
            return _results_needed(contest) or _("To settle")
        case Contest.State.SETTLED:
            return _results_needed(contest) or _("Payment order")
    return "–"


def _results_needed(contest: Contest) -> Any:
    """Return how many results are missing, as text, or nothing."""
    gaps = len(results_missing(contest))
    return _("%(count)s results missing") % {"count": gaps} if gaps else ""


def contests_panel(request: HttpRequest) -> Table:
    """Return today's contests and earlier ones without a payment order, as a table."""
    now = clock.now()
    past = Q(state__in=[Contest.State.ORDERED, Contest.State.DISCARDED])
    of_today = Q(day=natural_day(now)) | Q(day__lt=natural_day(now), meeting__ends_at__gt=now)
    current = Contest.objects.filter(~past | of_today)
    rows = [
        (
            link(contest),
            link(contest.meeting, contest.meeting.name),
            day(contest.day),
            tag(contest.state, contest.get_state_display()),
            _closing(contest, now),
            _next(contest),
        )
        for contest in current.select_related("meeting", "bet_type").order_by("day")[
            :_CONTESTS_SHOWN
        ]
    ]
    return Table(
        title=_("Contests"),
        icon="confirmation_number",
        headers=(_("contest"), _("meeting"), _("day"), _("state"), _("closing"), _("waits for")),
        rows=rows,
        empty=_("No contest is under way."),
        link=navigation.changelist_url(Contest),
        is_open=True,
    )

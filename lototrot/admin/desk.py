"""Show the organiser's desk: the page from which a race day is run. It refreshes itself.

Each button leads to an act of the admin, which returns to the desk.
"""

import dataclasses
from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from core.admin_support import proposal_texts, signed_on
from core.admin_support.acts import Act
from core.admin_support.columns import link, named, url_of
from core.admin_support.contents import Keep, Page, Place
from core.database import clock
from core.draws.admin import acts as draws
from core.draws.models import Draw
from core.premises.admin.acts import RESUME, SUSPEND, SUSPEND_ALL
from core.premises.models import Premises, Suspension
from core.staff import powers as staff_powers
from core.staff.actor import StaffActor
from core.staff.admin.proposals import CONFIRM, REJECT
from core.staff.models import Proposal
from lototrot import powers
from lototrot.admin import contests, programme, running, stopping
from lototrot.admin import settling as settling_page
from lototrot.admin.preparing import CONTEST as PREPARE
from lototrot.admin.race_records import reading, records_of
from lototrot.admin.words import GATE_NAMES, GATES, missing_text
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting
from lototrot.models.settlement import PaymentOrder
from lototrot.models.stops import SalesStop
from lototrot.selectors import live_sales
from lototrot.selectors.alive import standings
from lototrot.selectors.breaches import breach_list
from lototrot.selectors.cards import LegCard, contest_legs
from lototrot.selectors.races import RaceState
from lototrot.selectors.settlement.results import results_missing
from lototrot.selectors.stops import stops_standing
from lototrot.selectors.totals import contest_totals
from lototrot.services.seal.sealing import sealed, sealing
from lototrot.services.settlement.settling import settling
from lototrot.services.tickets.putting_on_sale import contest_gates

_PREMISES_SHOWN = 8
_SILENT_SHOWN = 12
_PREPARING_SHOWN = 5
_BREACHES_SHOWN = 100


@dataclasses.dataclass(frozen=True, slots=True)
class Button:
    """An act that this person may run now on this row, and the address of its page."""

    title: Any
    url: str
    danger: bool
    icon: str


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """A stage of the race day: done, in the hands of a worker now, or still to come."""

    title: Any
    done: bool
    detail: str = ""
    busy: bool = False


class _Desk:
    """Collect the context of one desk page for one person."""

    def __init__(self, request: HttpRequest, contest: Contest) -> None:
        self.contest = contest
        self.by = signed_on.actor(request)
        self.here = reverse("admin:race_day_of", args=[contest.pk])
        self.legs = contest_legs(contest)

    def context(self) -> dict[str, Any]:
        contest = self.contest
        selling = contest.state in Contest.UNCLOSED
        closed = not selling and contest.state not in Contest.NEVER_ON_SALE
        settlement = contest.settlements.filter(in_force=True).first()
        breaches = breach_list(contest.pk, after=0, limit=_BREACHES_SHOWN) if closed else []
        steps = self._steps(settlement)
        about_breaches = () if breaches else (settling_page.VOID, settling_page.BLOCK)
        acts = [act for act in contests.ContestAdmin.acts if act not in about_breaches]
        return {
            "contest": contest,
            "meeting": contest.meeting,
            "now": clock.now(),
            "here": self.here,
            "steps": steps,
            "steps_done": sum(step.done for step in steps),
            "buttons": self.buttons(contest, acts),
            "seconds_left": self._seconds_left(),
            "gates": self._gates(),
            "gate_buttons": self.buttons(contest.meeting, (programme.INTERNAL,)),
            "missing": self._missing(),
            "totals": contest_totals(contest),
            "busy": next((step for step in steps if step.busy), None),
            "minutes": _bars(live_sales.sales_by_minute(contest)),
            "premises": [
                (premises, self.buttons(Premises(pk=premises.pk), (SUSPEND,)) if selling else ())
                for premises in live_sales.sales_by_premises(contest, most=_PREMISES_SHOWN)
            ],
            "silent": live_sales.silent_terminals(contest, most=_SILENT_SHOWN) if selling else (),
            "races": [self._race(leg) for leg in self.legs],
            "meeting_buttons": self.buttons(
                contest.meeting, (stopping.STOP_MEETING, running.DECLARE_MEETING)
            ),
            "stops": [(stop, self.buttons(stop, (stopping.LIFT,))) for stop in self._stops()],
            "proposals": self._proposals(),
            "breaches": breaches,
            "draws": self._draws(),
            "standing": standings(contest, self.legs)[-1:] if closed else (),
            "settlement": settlement,
            "suspensions": self._suspensions(),
            "categories": settlement.categories.order_by("-hits") if settlement else (),
            "order": PaymentOrder.objects.filter(contest=contest).first(),
            "preparing": preparing(self.by, self.here),
            "suspend": self.buttons(Suspension, (SUSPEND_ALL,)),
        }

    def buttons(self, row: Model | type[Model], acts: Iterable[Act]) -> list[Button]:
        return buttons(self.by, row, acts, self.here)

    def _seconds_left(self) -> int | None:
        if self.contest.state not in Contest.UNCLOSED:
            return None
        left = (self.contest.scheduled_close_at - clock.now()).total_seconds()
        return int(left) if left > 0 else None

    def _gates(self) -> list[tuple[Any, bool]]:
        """Return the gates of a draft with whether each is open: the name of an open gate, what is
        missing for a shut one.
        """
        if self.contest.state != Contest.State.DRAFT:
            return []
        shut = {gate.code for gate in contest_gates(contest=self.contest)}
        return [
            (GATES[code] if code in shut else name, code not in shut)
            for code, name in GATE_NAMES.items()
        ]

    def _missing(self) -> list[str]:
        """Return what a contest's races lack before its settlement or its payment order. Races that
        have not begun are left out.
        """
        if self.contest.state not in Contest.UNORDERED:
            return []
        ahead = {leg.position for leg in self.legs if leg.card.record.state is RaceState.SCHEDULED}
        gaps = results_missing(self.contest, records_of)
        return [missing_text(gap) for gap in gaps if gap.position not in ahead]

    def _race(self, leg: LegCard) -> dict[str, Any]:
        card, record = leg.card, leg.card.record
        reversals = [(w, self.buttons(w, (running.REVERSE,))) for w in record.withdrawals]
        return {
            "position": leg.position,
            "race": card.race,
            "url": url_of(card.race),
            "state": record.state.value,
            "state_text": running.STATES[record.state],
            "start_at": record.start.actual_start_at if record.start else None,
            "withdrawals": reversals,
            "winners": card.winners,
            "due": record.draw_due_at,
            "buttons": self.buttons(card.race, running.RACE_ACTS),
        }

    def _proposals(self) -> list[dict[str, Any]]:
        if not self.by.may(staff_powers.READ_PROPOSALS):
            return []
        waiting = list(
            Proposal.objects.filter(decided=False).select_related("proposed_by").order_by("pk")
        )
        proposal_texts.read_together(waiting)
        return [
            {
                "kind": link(proposal, proposal_texts.kind_text(proposal)),
                "about": proposal_texts.subject_text(proposal),
                "by": named(proposal.proposed_by),
                "buttons": self.buttons(proposal, (CONFIRM, REJECT)),
            }
            for proposal in waiting
        ]

    def _draws(self) -> list[dict[str, Any]]:
        now = clock.now()
        pending = Draw.objects.exclude(state__in=Draw.OVER).order_by("pk")
        return [
            {
                "title": draws.title_of(draw),
                "url": url_of(draw),
                "state": draw.get_state_display(),
                "facts": draws.about(draw),
                "notice": f"/api/v1/draws/{draw.uuid}/notice.pdf",
                "left": max(0, int((draw.due_at - now).total_seconds())) if draw.due_at else None,
                "buttons": self.buttons(draw, draws.ACTS),
            }
            for draw in pending
        ]

    def _suspensions(self) -> list[dict[str, Any]]:
        in_force = Suspension.objects.filter(lifted_at=None).select_related("premises", "terminal")
        return [
            {"what": suspension, "buttons": self.buttons(suspension, (RESUME,))}
            for suspension in in_force.order_by("pk")
        ]

    def _stops(self) -> list[SalesStop]:
        standing = stops_standing(self.contest)
        return list(standing.select_related("race", "meeting", "stopped_by", "terminal"))

    def _steps(self, settlement: Any) -> list[Step]:
        contest, state = self.contest, self.contest.state
        order = [choice.value for choice in Contest.State]
        reached = order.index(state)
        with_result = sum(bool(leg.card.winners) for leg in self.legs)
        waits, is_sealed = state == Contest.State.CLOSED, sealed(contest) is not None
        return [
            Step(_("Prepared"), reached >= order.index(Contest.State.OPEN)),
            Step(_("Closed"), reached >= order.index(Contest.State.CLOSED)),
            Step(_("Sealed"), is_sealed, busy=waits and not is_sealed and sealing(contest)),
            Step(_("Results"), with_result == len(self.legs), f"{with_result}/{len(self.legs)}"),
            Step(_("Settled"), settlement is not None, busy=waits and settling(contest)),
            Step(_("Payment ordered"), state == Contest.State.ORDERED),
        ]


def buttons(
    by: StaffActor, row: Model | type[Model], acts: Iterable[Act], back: str
) -> list[Button]:
    """Return the acts that this person may run now on the row, or on a model's list."""
    meta, target = row._meta, None if isinstance(row, type) else row
    list_url = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    folder = f"{list_url}{target.pk}/" if target else list_url
    query = urlencode({"back": back})
    return [
        Button(act.title, f"{folder}{act.name}/?{query}", act.danger, act.icon)
        for act in acts
        if act.open_to(by, target)
    ]


def preparing(by: StaffActor, back: str) -> list[dict[str, Any]]:
    """Return the newest programmes that have no contest yet, each with its approval and its
    buttons.
    """
    meetings = Meeting.objects.filter(contests=None).select_related("approval").defer("document")
    return [
        {
            "meeting": meeting,
            "approval": getattr(meeting, "approval", None),
            "buttons": buttons(by, meeting, (programme.APPROVE, programme.INTERNAL, PREPARE), back),
        }
        for meeting in meetings.order_by("-day", "-pk")[:_PREPARING_SHOWN]
    ]


def _bars(minutes: list[live_sales.Minute]) -> list[dict[str, Any]]:
    """Return the chart of sales: one bar for each minute, as high as its percentage of the
    tallest.
    """
    most = max((minute.tickets for minute in minutes), default=1)
    heights = [100 * minute.tickets // most for minute in minutes]
    return [
        {
            "at": minute.at,
            "tickets": minute.tickets,
            "cents": minute.amount_cents,
            "x": index * 10,
            "height": height,
            "y": 100 - height,
        }
        for index, (minute, height) in enumerate(zip(minutes, heights, strict=True))
    ]


def _index(request: HttpRequest) -> HttpResponse:
    """Redirect to the chosen contest, else to the earliest one without a payment order, else to the
    newest one.
    """
    if not signed_on.may(request, powers.WATCH):
        raise PermissionDenied
    chosen = request.GET.get("contest", "")
    if chosen.isdecimal():
        return HttpResponseRedirect(reverse("admin:race_day_of", args=[int(chosen)]))
    contest = Contest.objects.exclude(state=Contest.State.ORDERED).order_by("day", "pk").first()
    contest = contest or Contest.objects.order_by("-day", "-pk").first()
    if contest is not None:
        return HttpResponseRedirect(reverse("admin:race_day_of", args=[contest.pk]))
    context = admin.site.each_context(request) | {
        "title": _("Race day"),
        "contest": None,
        "import": _import(request),
        "preparing": preparing(signed_on.actor(request), reverse("admin:race_day")),
    }
    return TemplateResponse(request, "lototrot/admin/desk.html", context)


def _import(request: HttpRequest) -> list[Button]:
    by = signed_on.actor(request)
    return buttons(by, Meeting, (programme.IMPORT,), reverse("admin:race_day"))


def _one(request: HttpRequest, contest: int) -> HttpResponse:
    if not signed_on.may(request, powers.WATCH):
        raise PermissionDenied
    row = Contest.objects.select_related("meeting", "bet_type").filter(pk=contest).first()
    if row is None:
        raise Http404
    desk = _Desk(request, row)
    with reading(*(leg.card.record for leg in desk.legs)):
        context = desk.context()
    if "part" in request.GET:
        return TemplateResponse(request, "lototrot/admin/desk_part.html", context)
    others = Contest.objects.order_by("-day", "-pk")[:12]
    context |= admin.site.each_context(request) | {
        "title": _("Race day"),
        "others": others,
        "import": _import(request),
    }
    return TemplateResponse(request, "lototrot/admin/desk.html", context)


def _urls(keep: Keep) -> list[URLPattern]:
    return [
        path("race-day/", keep(_index), name="race_day"),
        path("race-day/<int:contest>/", keep(_one), name="race_day_of"),
    ]


PAGE = Page(
    title=_("Race day"),
    icon="flag",
    name="race_day",
    place=Place.RACE_DAY,
    order=10,
    power=powers.WATCH,
    urls=_urls,
    works=powers.WATCH,
)

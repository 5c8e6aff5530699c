"""The organiser's desk: one page from which a race day is run, and which follows it by itself.

Every button is an act of the admin, done by the same services, and comes back here.
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

from core.admin_support import pages, signed_on
from core.admin_support import proposals as described
from core.admin_support.acts import Act
from core.admin_support.columns import link, url_of
from core.admin_support.pages import Keep, Page
from core.database import clock
from core.draws.models import Draw
from core.premises.admin import RESUME, SUSPEND_ALL
from core.premises.models import Suspension
from core.staff.admin import CONFIRM, REJECT
from core.staff.models import Proposal
from core.staff.powers import Role, define
from core.staff.selectors import READ_PROPOSALS
from lototrot.admin import contests, programme, running
from lototrot.admin.words import GATES
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting
from lototrot.selectors import live_sales
from lototrot.selectors.alive import standings
from lototrot.selectors.cards import LegCard, contest_legs
from lototrot.selectors.totals import contest_totals
from lototrot.services import breach
from lototrot.services.contests import contest_gates
from lototrot.services.sealing import sealed

WATCH = define("lototrot.watch", Role.ORGANISER, Role.STEWARDS, Role.INSPECTOR, Role.AUDITOR)
_PREMISES_SHOWN = 8
_SILENT_SHOWN = 12
_OVER = (Draw.State.CERTIFIED, Draw.State.CALLED_OFF)


@dataclasses.dataclass(frozen=True, slots=True)
class Button:
    """An act that this person may do now to this row, and where it is done."""

    title: Any
    url: str
    danger: bool
    icon: str


@dataclasses.dataclass(frozen=True, slots=True)
class Step:
    """A stage of the race day: done, under way, or still to come."""

    title: Any
    done: bool
    detail: str = ""


class _Desk:
    """What one request is shown."""

    def __init__(self, request: HttpRequest, contest: Contest) -> None:
        self.contest = contest
        self.by = signed_on.actor(request)
        self.here = reverse("admin:race_day_of", args=[contest.pk])
        self.legs = contest_legs(contest)

    def context(self) -> dict[str, Any]:
        contest = self.contest
        closed = contest.state != Contest.State.OPEN and contest.state != Contest.State.DRAFT
        settlement = contest.settlements.filter(in_force=True).first()
        steps = self._steps(settlement)
        return {
            "contest": contest, "meeting": contest.meeting, "now": clock.now(), "here": self.here,
            "steps": steps, "steps_done": sum(step.done for step in steps),
            "buttons": self.buttons(contest, contests.ContestAdmin.acts),
            "seconds_left": self._seconds_left(),
            "gates": self._gates(), "totals": contest_totals(contest),
            "minutes": _bars(live_sales.sales_by_minute(contest)),
            "premises": live_sales.sales_by_premises(contest, most=_PREMISES_SHOWN),
            "silent": live_sales.silent_terminals(contest, most=_SILENT_SHOWN)
            if contest.state == Contest.State.OPEN else (),
            "races": [self._race(leg) for leg in self.legs],
            "meeting_buttons": self.buttons(contest.meeting, (running.DECLARE_MEETING,)),
            "proposals": self._proposals(),
            "breaches": breach.breach_list(contest.pk, after=0, limit=100) if closed else (),
            "draws": self._draws(),
            "standing": standings(contest, self.legs)[-1:] if closed else (),
            "settlement": settlement, "suspensions": self._suspensions(),
            "suspend": self.list_buttons(Suspension, (SUSPEND_ALL,)),
        }  # fmt: skip

    def buttons(self, row: Model, acts: Iterable[Act]) -> list[Button]:
        """The acts open to this person on the row now."""
        return [
            Button(act.title, self._back(f"{_folder(row)}{act.name}"), act.danger, act.icon)
            for act in acts
            if act.open_to(self.by, row)
        ]

    def list_buttons(self, model: type[Model], acts: Iterable[Act]) -> list[Button]:
        meta = model._meta
        place = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
        return [
            Button(act.title, self._back(f"{place}{act.name}"), act.danger, act.icon)
            for act in acts
            if act.open_to(self.by, None)
        ]

    def _back(self, url: str) -> str:
        return f"{url}/?{urlencode({'back': self.here})}"

    def _seconds_left(self) -> int | None:
        if self.contest.state != Contest.State.OPEN:
            return None
        left = (self.contest.scheduled_close_at - clock.now()).total_seconds()
        return int(left) if left > 0 else None

    def _gates(self) -> list[tuple[Any, bool]]:
        """Every gate with whether it stands open, while the contest is being prepared."""
        if self.contest.state != Contest.State.DRAFT:
            return []
        shut = {gate.code for gate in contest_gates(contest=self.contest)}
        return [(said, code not in shut) for code, said in GATES.items()]

    def _race(self, leg: LegCard) -> dict[str, Any]:
        card, record = leg.card, leg.card.record
        return {
            "position": leg.position, "race": card.race, "url": url_of(card.race),
            "state": record.state.value, "said": running.STATES[record.state],
            "start_at": record.start.actual_start_at if record.start else None,
            "withdrawn": [r.runner.number for r in card.runners if r.withdrawn],
            "unconfirmed": list(record.unconfirmed), "winners": card.winners,
            "due": record.draw_due_at,
            "buttons": self.buttons(card.race, running.RACE_ACTS),
        }  # fmt: skip

    def _proposals(self) -> list[dict[str, Any]]:
        if not self.by.may(READ_PROPOSALS):
            return []
        waiting = Proposal.objects.filter(decision=None).select_related("proposed_by")
        return [
            {
                "said": link(each, described.kind_text(each)),
                "about": described.subject_text(each), "by": each.proposed_by,
                "buttons": self.buttons(each, (CONFIRM, REJECT)),
            }
            for each in waiting.order_by("pk")
        ]  # fmt: skip

    def _draws(self) -> list[dict[str, Any]]:
        now = clock.now()
        found = Draw.objects.exclude(state__in=_OVER).order_by("pk")
        return [
            {
                "draw": link(each), "state": each.get_state_display(),
                "left": max(0, int((each.due_at - now).total_seconds())) if each.due_at else None,
            }
            for each in found
        ]  # fmt: skip

    def _suspensions(self) -> list[dict[str, Any]]:
        standing = Suspension.objects.filter(lifted_at=None).select_related("premises", "terminal")
        return [
            {"what": each, "buttons": self.buttons(each, (RESUME,))}
            for each in standing.order_by("pk")
        ]

    def _steps(self, settlement: Any) -> list[Step]:
        contest, state = self.contest, self.contest.state
        order = [choice.value for choice in Contest.State]
        reached = order.index(state)
        known = sum(bool(leg.card.winners) for leg in self.legs)
        return [
            Step(_("Prepared"), reached >= order.index(Contest.State.OPEN)),
            Step(_("Closed"), reached >= order.index(Contest.State.CLOSED)),
            Step(_("Sealed"), sealed(contest) is not None),
            Step(_("Results"), known == len(self.legs), f"{known}/{len(self.legs)}"),
            Step(_("Settled"), settlement is not None),
            Step(_("Payment ordered"), state == Contest.State.ORDERED),
        ]


def _folder(row: Model) -> str:
    meta = row._meta
    return f"{reverse(f'admin:{meta.app_label}_{meta.model_name}_changelist')}{row.pk}/"


def _bars(minutes: list[live_sales.Minute]) -> list[dict[str, Any]]:
    """The chart: a bar for each minute, its height in percent of the tallest."""
    most = max((minute.tickets for minute in minutes), default=1)
    heights = [100 * minute.tickets // most for minute in minutes]
    return [
        {"at": each.at, "tickets": each.tickets, "cents": each.amount_cents, "x": place * 10,
         "height": height, "y": 100 - height}
        for place, (each, height) in enumerate(zip(minutes, heights, strict=True))
    ]  # fmt: skip


def _index(request: HttpRequest) -> HttpResponse:
    """The contest nearest to its work: the earliest that is not done with, or the newest."""
    if not signed_on.may(request, WATCH):
        raise PermissionDenied
    found = Contest.objects.exclude(state=Contest.State.ORDERED).order_by("day", "pk").first()
    found = found or Contest.objects.order_by("-day", "-pk").first()
    if found is not None:
        return HttpResponseRedirect(reverse("admin:race_day_of", args=[found.pk]))
    context = admin.site.each_context(request) | {
        "title": _("Race day"), "contest": None,
        "import": _import_button(request), "meetings": Meeting.objects.order_by("-day")[:5],
    }  # fmt: skip
    return TemplateResponse(request, "lototrot/admin/desk.html", context)


def _import_button(request: HttpRequest) -> Button | None:
    if not programme.IMPORT.open_to(signed_on.actor(request), None):
        return None
    place = reverse("admin:lototrot_meeting_changelist")
    back = urlencode({"back": reverse("admin:race_day")})
    url = f"{place}{programme.IMPORT.name}/?{back}"
    return Button(programme.IMPORT.title, url, danger=False, icon=programme.IMPORT.icon)


def _one(request: HttpRequest, contest: int) -> HttpResponse:
    if not signed_on.may(request, WATCH):
        raise PermissionDenied
    found = Contest.objects.select_related("meeting", "bet_type").filter(pk=contest).first()
    if found is None:
        raise Http404
    context = _Desk(request, found).context()
    if "part" in request.GET:
        return TemplateResponse(request, "lototrot/admin/desk_part.html", context)
    others = Contest.objects.order_by("-day", "-pk")[:12]
    context |= admin.site.each_context(request) | {
        "title": _("Race day"), "others": others, "import": _import_button(request),
    }  # fmt: skip
    return TemplateResponse(request, "lototrot/admin/desk.html", context)


def _urls(keep: Keep) -> list[URLPattern]:
    return [
        path("race-day/", keep(_index), name="race_day"),
        path("race-day/<int:contest>/", keep(_one), name="race_day_of"),
    ]


pages.register(
    Page(title=_("Race day"), icon="flag", name="race_day", order=10, power=WATCH, urls=_urls)
)

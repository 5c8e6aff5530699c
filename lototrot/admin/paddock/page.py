"""Show the stewards' page: the races of a day at one racecourse, one race at a time, for a tablet.

It shows the runners by cloth, number and name, what waits for a second person, and the acts on
the race. Each button leads to an act of the admin, which comes back here; the page does nothing by
itself.
"""

import datetime
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from core.admin_support import proposal_texts, signed_on
from core.admin_support.columns import named, url_of
from core.admin_support.contents import Keep, Page, Place
from core.database import clock
from core.kernel.days import natural_day
from core.staff import powers as staff_powers
from core.staff import two_persons
from core.staff.admin.proposals import REJECT, address_of, hindrance, may_be_second
from core.staff.models import Proposal
from lototrot import powers
from lototrot.admin import running, stopping
from lototrot.admin.desk import Button, buttons
from lototrot.admin.paddock.horses import CLOTHS
from lototrot.admin.race_records import reading
from lototrot.models.programme import Meeting, Race, Racecourse
from lototrot.models.stops import SalesStop
from lototrot.selectors.cards import RaceCard, race_cards
from lototrot.selectors.races import RaceState
from lototrot.services.races.classification import CLASSIFICATION

_OVER = (RaceState.CLASSIFIED, RaceState.DRAWN)
# Acts that have a place of their own on the page, beside a horse or in a line.
_IN_PLACE = (running.WITHDRAW, running.CLASSIFY)


class _Paddock:
    """Collect the context of the page for one person, racecourse and day."""

    def __init__(self, request: HttpRequest, course: Racecourse, day: datetime.date) -> None:
        self.by = signed_on.actor(request)
        self.course, self.day = course, day
        races = Race.objects.filter(racecourse=course, meeting__day=day)
        ordered = races.select_related("racecourse", "meeting").prefetch_related("runners")
        self.cards = race_cards(ordered.order_by("scheduled_start_at", "number", "pk"), {})
        if not self.cards:
            raise Http404
        self.chosen = self._chosen(request.GET.get("race", ""))
        self.here = self.address(self.chosen)

    def _chosen(self, asked: str) -> RaceCard:
        """Return the race of the query, else the first without a result, else the last."""
        chosen = [card for card in self.cards if str(card.race.pk) == asked]
        ahead = [card for card in self.cards if card.record.state not in _OVER]
        return [*chosen, *ahead, self.cards[-1]][0]

    def address(self, card: RaceCard) -> str:
        day = reverse("admin:paddock_of", args=[self.course.code, self.day.isoformat()])
        return f"{day}?{urlencode({'race': card.race.pk})}"

    def context(self) -> dict[str, Any]:
        card = self.chosen
        meeting: Meeting = card.race.meeting
        return {
            "course": self.course,
            "day": self.day,
            "here": self.here,
            "races": [self._in_strip(each) for each in self.cards],
            "race": card.race,
            "race_url": url_of(card.race),
            "state": running.STATES[card.record.state],
            "start_at": card.record.start.actual_start_at if card.record.start else None,
            "winners": card.winners,
            **self._acts(card),
            "meeting_buttons": self.buttons(
                meeting, (stopping.STOP_MEETING, running.DECLARE_MEETING)
            ),
            "proposals": self._proposals(),
            "stops": self._stops(meeting),
        }

    def _in_strip(self, card: RaceCard) -> dict[str, Any]:
        return {
            "race": card.race,
            "url": self.address(card),
            "is_here": card is self.chosen,
            "state": running.STATES[card.record.state],
            "winners": card.winners,
        }

    def buttons(self, row: Any, acts: Any) -> list[Button]:
        return buttons(self.by, row, acts, self.here)

    def _acts(self, card: RaceCard) -> dict[str, Any]:
        """Return the acts on the race, the address of its form for the result, and the runners."""
        with reading(card.record):
            offered = self.buttons(card.race, running.RACE_ACTS)
            apart = self.buttons(card.race, _IN_PLACE)
            reversals = {
                row.number: (row, self.buttons(row, (running.REVERSE,)))
                for row in card.record.withdrawals
            }
        addresses = {button.title: button.url for button in apart}
        ran = card.record.classification is not None
        withdraw = "" if ran else addresses.get(running.WITHDRAW.title, "")
        return {
            "buttons": [button for button in offered if button.title not in addresses],
            "classifying": self._classifying(card),
            "classify": addresses.get(running.CLASSIFY.title, "").partition("?")[0],
            "runners": [
                {
                    "runner": each.runner,
                    "cloth": (each.runner.number - 1) % CLOTHS + 1,
                    "again": each.runner.number > CLOTHS,
                    "withdrawn": each.withdrawn or each.runner.number in reversals,
                    "unconfirmed": each.unconfirmed,
                    "won": each.runner.number in card.winners,
                    "withdraw": f"{withdraw}&{urlencode({'number': each.runner.number})}"
                    if withdraw
                    else "",
                    "buttons": reversals.get(each.runner.number, (None, []))[1],
                }
                for each in card.runners
            ],
        }

    def _classifying(self, card: RaceCard) -> dict[str, Any] | None:
        """Return the classification that waits for its second person, with the acts on it."""
        if card.record.state is not RaceState.STARTED:
            return None
        proposal = two_persons.pending(kind=CLASSIFICATION, subject=f"race:{card.race.pk}")
        if proposal is None or not self.by.may(staff_powers.READ_PROPOSALS):
            return None
        is_own = self.by.user_id == proposal.proposed_by_id
        withdraw = self.buttons(proposal, (REJECT,)) if is_own else []
        return {
            **self._waiting(proposal),
            "at": proposal.proposed_at,
            "withdraw": withdraw[0].url if withdraw else "",
        }

    def _proposals(self) -> list[dict[str, Any]]:
        """Return the proposals on these races and their meetings that wait for a second person."""
        if not self.by.may(staff_powers.READ_PROPOSALS):
            return []
        races = [card.race.pk for card in self.cards]
        meetings = {card.race.meeting_id for card in self.cards}
        about = Q(content__race__in=races) | Q(content__meeting__in=[*meetings])
        waiting = Proposal.objects.filter(about, decided=False)
        rows = list(waiting.select_related("proposed_by__given__decision").order_by("pk"))
        proposal_texts.read_together(rows)
        return [self._waiting(row) for row in rows]

    def _waiting(self, row: Proposal) -> dict[str, Any]:
        decides = self.by.may(two_persons.power_of(row)) and may_be_second(self.by, row)
        return {
            "title": proposal_texts.title_text(row),
            "by": named(row.proposed_by),
            "decide": f"{address_of(row)}?{urlencode({'back': self.here})}" if decides else "",
            "why": hindrance(self.by, row) or _("Waits for another person"),
        }

    def _stops(self, meeting: Meeting) -> list[tuple[SalesStop, list[Button]]]:
        races = [card.race.pk for card in self.cards]
        standing = SalesStop.objects.filter(
            Q(race__in=races) | Q(race=None, meeting=meeting), ended_at=None
        )
        rows = standing.select_related("race", "meeting").order_by("stopped_at", "pk")
        return [(stop, self.buttons(stop, (stopping.LIFT,))) for stop in rows]


def address_of_day(course: Racecourse, day: datetime.date) -> str:
    """Return the address of the stewards' page of a racecourse on a day."""
    return reverse("admin:paddock_of", args=[course.code, day.isoformat()])


def _courses_on(day: datetime.date) -> list[tuple[Racecourse, str]]:
    on_day = Racecourse.objects.filter(races__meeting__day=day).distinct().order_by("name")
    return [(course, address_of_day(course, day)) for course in on_day]


def _first(request: HttpRequest) -> HttpResponse:
    """Lead to the races of today, else of the next day with races, else of the last one.

    Where several racecourses have races on that day, they are listed to choose from.
    """
    if not signed_on.may(request, powers.WATCH):
        raise PermissionDenied
    today = natural_day(clock.now())
    days = Race.objects.order_by("meeting__day").values_list("meeting__day", flat=True)
    day = days.filter(meeting__day__gte=today).first() or days.last()
    courses = _courses_on(day) if day else []
    if len(courses) == 1:
        return HttpResponseRedirect(courses[0][1])
    context = admin.site.each_context(request) | {
        "title": _("Paddock"),
        "courses": courses,
        "day": day,
    }
    return TemplateResponse(request, "lototrot/admin/paddock_courses.html", context)


def _one(request: HttpRequest, course: str, day: str) -> HttpResponse:
    if not signed_on.may(request, powers.WATCH):
        raise PermissionDenied
    try:
        on = datetime.date.fromisoformat(day)
    except ValueError:
        raise Http404 from None
    row = Racecourse.objects.filter(code=course).first()
    if row is None:
        raise Http404
    context = _Paddock(request, row, on).context()
    if "part" in request.GET:
        return TemplateResponse(request, "lototrot/admin/paddock_part.html", context)
    context |= admin.site.each_context(request) | {"title": _("Paddock")}
    return TemplateResponse(request, "lototrot/admin/paddock.html", context)


def _urls(keep: Keep) -> list[URLPattern]:
    return [
        path("paddock/", keep(_first), name="paddock"),
        path("paddock/<str:course>/<str:day>/", keep(_one), name="paddock_of"),
    ]


PAGE = Page(
    title=_("Paddock"),
    icon="trophy",
    name="paddock",
    place=Place.RACE_DAY,
    order=20,
    power=powers.WATCH,
    urls=_urls,
)

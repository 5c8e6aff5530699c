"""Show a racecourse with every race, day by day, the newest day first: its state, its result and
the contests that use it.
"""

import datetime
from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.html import format_html
from django.utils.http import urlencode

from core.admin_support import signed_on
from core.admin_support.columns import NOTHING, lines, link
from core.admin_support.readonly import ReadOnlyAdmin
from lototrot import powers
from lototrot.admin import running
from lototrot.admin.paddock.horses import horses, runners_of_races
from lototrot.admin.paddock.page import address_of_day
from lototrot.models.contest import ContestLeg
from lototrot.models.programme import Race, Racecourse, Runner
from lototrot.selectors.races import RaceRecord, race_records

DAYS_SHOWN = 14


def days_of(
    course: Racecourse, before: datetime.date | None
) -> tuple[list[dict[str, Any]], datetime.date | None]:
    """Return the newest days with races, or those before a given day, and where to go on.

    There are more days before the date that is returned second; it is None if there are no more.
    """
    races = Race.objects.filter(racecourse=course)
    earlier = races.filter(meeting__day__lt=before) if before else races
    days = earlier.order_by("-meeting__day").values_list("meeting__day", flat=True).distinct()
    newest = list(days[: DAYS_SHOWN + 1])
    newest_days = newest[:DAYS_SHOWN]
    rows: dict[datetime.date, list[dict[str, Any]]] = {day: [] for day in newest_days}
    for day, row in _rows(races.filter(meeting__day__in=newest_days)):
        rows[day].append(row)
    request = signed_on.reader()
    watches = request is None or signed_on.may(request, powers.WATCH)
    more = newest_days[-1] if len(newest) > DAYS_SHOWN else None
    return [
        {"day": day, "url": address_of_day(course, day) if watches else "", "races": rows[day]}
        for day in newest_days
    ], more


def _rows(races: Any) -> list[tuple[datetime.date, dict[str, Any]]]:
    """Return races by start, each with its day, in a fixed number of queries."""
    listed = list(races.select_related("meeting").order_by("scheduled_start_at", "number", "pk"))
    keys = [race.pk for race in listed]
    records, runners = race_records(keys), runners_of_races(keys)
    legs: dict[int, list[ContestLeg]] = {key: [] for key in keys}
    for leg in ContestLeg.objects.filter(race__in=keys).select_related("contest"):
        legs[leg.race_id].append(leg)
    return [
        (race.meeting.day, _row(race, records[race.pk], runners[race.pk], legs[race.pk]))
        for race in listed
    ]


def _row(
    race: Race, record: RaceRecord, runners: Mapping[int, Runner], legs: list[ContestLeg]
) -> dict[str, Any]:
    start, contests = record.start, [leg.contest for leg in legs]
    states = (format_html("{} · {}", link(each), each.get_state_display()) for each in contests)
    return {
        "race": link(race, str(race)),
        "start_at": start.actual_start_at if start else race.scheduled_start_at,
        "state": running.STATES[record.state],
        "result": horses(record.facts().winners, runners) or NOTHING,
        "contests": lines(states) or NOTHING,
    }


@admin.register(Racecourse)
class RacecourseAdmin(ReadOnlyAdmin):
    read_power = powers.READ
    columns = ("name", "code", "municipality", "timezone")
    search_fields = ("code", "name")
    change_form_outer_before_template = "lototrot/admin/racecourse.html"

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        page = super().changeform_view(request, object_id, *args, **kwargs)
        if isinstance(page, TemplateResponse) and page.context_data is not None:
            days, more = days_of(page.context_data["original"], _asked_day(request))
            query = urlencode({"before": more.isoformat()}) if more else ""
            page.context_data |= {"days": days, "earlier": query}
        return page


def _asked_day(request: HttpRequest) -> datetime.date | None:
    """Return the day before which days are asked for; None if none is, or what is asked is none."""
    try:
        return datetime.date.fromisoformat(request.GET.get("before", ""))
    except ValueError:
        return None

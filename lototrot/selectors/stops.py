"""Find stops of sales, the contests that they cover, and the devices that signal starts [E12]."""

from django.db.models import Q, QuerySet

from lototrot.models.contest import Contest
from lototrot.models.stops import SalesStop, SignalDevice


def stops_list(*, standing: bool = False) -> QuerySet[SalesStop]:
    """Return all stops of sales, or those that have not ended."""
    rows = SalesStop.objects.select_related("proposal")
    return rows.filter(ended_at=None) if standing else rows


def signal_devices() -> QuerySet[SignalDevice]:
    """Return every device that signals starts or did."""
    return SignalDevice.objects.select_related("terminal", "racecourse", "proposal")


def contests_covered(stop: SalesStop) -> QuerySet[Contest]:
    """Return the contests on the race that sales were stopped for, or on the whole meeting."""
    contests = Contest.objects.filter(meeting=stop.meeting_id)
    if stop.race_id is not None:
        contests = contests.filter(legs__race=stop.race_id)
    return contests.order_by("pk")


def stops_of(contest: Contest) -> QuerySet[SalesStop]:
    """Return every stop that covered the contest: on one of its races, or on its meeting."""
    covering = Q(race=None) | Q(race__legs__contest=contest)
    return SalesStop.objects.filter(covering, meeting=contest.meeting_id).distinct()


def stops_standing(contest: Contest) -> QuerySet[SalesStop]:
    """Return the stops that keep the contest from being sold now, the first one first."""
    return stops_of(contest).filter(ended_at=None).order_by("stopped_at", "pk")

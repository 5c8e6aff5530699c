"""Find the times of the starts, as the programme and the stewards announced them [E13]."""

from datetime import datetime

from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import StartAnnouncement


def starts_announced(contest: Contest) -> dict[int, datetime]:
    """Return the newest announced start of each race of the contest, by race id."""
    races = Race.objects.filter(legs__contest=contest).values_list("pk", "scheduled_start_at")
    newest = StartAnnouncement.objects.filter(race__legs__contest=contest).order_by("pk")
    return dict(races) | dict(newest.values_list("race_id", "start_at"))


def first_start_announced(contest: Contest) -> datetime:
    """Return the earliest announced start of the contest's races."""
    return min(starts_announced(contest).values())

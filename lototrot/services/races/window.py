"""Refuse starts outside the window of their meeting (14.III.4) [B13, B15].

A race that was not run in the meeting has no start: it is declared not run, and drawn. Nothing
closes by such a report.
"""

from datetime import datetime

from core.kernel.errors import Conflict
from lototrot.models.programme import Race
from lototrot.selectors.jornadas import jornada_of


class StartBeforeMeeting(Conflict):
    """`data`: race, begins_at."""

    code = "start_before_meeting"
    message = "The meeting of that race had not begun by then. Check which race it was [B15]."


class RunOnAnotherDay(Conflict):
    """`data`: race, ends_at."""

    code = "run_on_another_day"
    message = "The meeting had ended by then. The race was not run in it, and is drawn [B13, B15]."


def need_in_meeting(race: Race, actual_start_at: datetime) -> None:
    """Raise StartBeforeMeeting or RunOnAnotherDay unless the start is inside the meeting."""
    window = jornada_of(race.meeting)
    if actual_start_at < window.begins_at:
        raise StartBeforeMeeting(race=race.pk, begins_at=window.begins_at.isoformat())
    if actual_start_at >= window.ends_at:
        raise RunOnAnotherDay(race=race.pk, ends_at=window.ends_at.isoformat())

"""Say when a meeting begins and ends, and to which day an instant of it belongs [B15].

A meeting lasts from its first scheduled start to an hour of the next morning. What happens after
midnight inside it belongs to the meeting's day.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from core.kernel.days import add_days, morning_after, natural_day
from core.kernel.regulation import MeetingFigures


@dataclass(frozen=True, slots=True)
class Jornada:
    """The day of a meeting, and the window in which its races can have started.

    `begins_at` is inclusive, `ends_at` is not.
    """

    day: date
    begins_at: datetime
    ends_at: datetime

    def includes(self, instant: datetime) -> bool:
        """Return whether a race that started at this instant was run in the meeting."""
        return self.begins_at <= instant < self.ends_at

    def day_of(self, instant: datetime) -> date:
        """Return the meeting's day for the hours after its midnight, else the natural day.

        Raises NaiveInstant, DayOutOfRange.
        """
        natural = natural_day(instant)
        return self.day if natural == add_days(self.day, 1) and instant < self.ends_at else natural


def jornada(
    day: date, first_start_at: datetime, stated_end: time | None, figures: MeetingFigures
) -> Jornada:
    """Return the window of a meeting by its first scheduled start and the end it states, if any.

    A race may start a little before its time, and the bets since are in breach [E3]: the window
    therefore begins `figures.early_start_s` before the first scheduled start.
    """
    return Jornada(
        day=day,
        begins_at=first_start_at - timedelta(seconds=figures.early_start_s),
        ends_at=meeting_end(day, stated_end, figures),
    )


def meeting_end(day: date, stated_end: time | None, figures: MeetingFigures) -> datetime:
    """Return the first instant that is no longer of the meeting; by the figures if none is stated.

    Raises DayOutOfRange.
    """
    return morning_after(day, figures.ends_next_day_at if stated_end is None else stated_end)

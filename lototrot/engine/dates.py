"""Compute the days on which prizes are paid, claimed and lapse (14.III.8.1, 10.2, 10.7)."""

from collections.abc import Iterable
from datetime import date

from core.kernel.days import add_days
from core.kernel.errors import Invalid


class ResultsBeforeMeeting(Invalid):
    """The results are dated before the meeting."""

    code = "results_before_meeting"
    message = "The results cannot be older than the meeting."


def first_pay_day(meeting_day: date, results_day: date) -> date:
    """Return the first day on which prizes may be paid, if the payment order is given [D5].

    `results_day` is the day on which the last result was established [D2]. Raises
    ResultsBeforeMeeting, DayOutOfRange.
    """
    if results_day < meeting_day:
        raise ResultsBeforeMeeting
    return add_days(max(meeting_day, results_day), 1)


def last_claim_day(results_day: date, claim_days: int) -> date:
    """Return the last day on which a ticket may be presented [D1, D4].

    Day 1 is the day after the results. `claim_days` is a figure of the regulation. Raises
    DayOutOfRange.
    """
    return add_days(results_day, claim_days)


def receiving_meeting(last_day: date, meeting_days: Iterable[date]) -> date | None:
    """Return the day of the first meeting after `last_day`; its 7/7 takes what lapsed [D3].

    Return None if no such meeting is known yet.
    """
    return min((day for day in meeting_days if day > last_day), default=None)

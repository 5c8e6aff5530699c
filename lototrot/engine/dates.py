"""The days of a meeting's prizes, in natural days (`14.III.8.1`, `10.2`, `10.7`)."""

from collections.abc import Iterable
from datetime import date

from core.kernel.days import add_days
from core.kernel.errors import Invalid


class ResultsBeforeMeeting(Invalid):
    """Results cannot be established on a day before the meeting's."""

    code = "results_before_meeting"
    message = "The results cannot be older than the meeting."


def first_pay_day(meeting_day: date, results_day: date) -> date:
    """The first day prizes may be paid, once the payment order is given [D5].

    `results_day` is the day the last result of the contest was established [D2]. Raises
    ResultsBeforeMeeting, DayOutOfRange.
    """
    if results_day < meeting_day:
        raise ResultsBeforeMeeting
    return add_days(max(meeting_day, results_day), 1)


def last_claim_day(results_day: date, claim_days: int) -> date:
    """The last day a ticket may be presented: day 1 is the day after the results [D1, D4].

    `claim_days` is the regulation's. Raises DayOutOfRange.
    """
    return add_days(results_day, claim_days)


def receiving_meeting(last_day: date, meeting_days: Iterable[date]) -> date | None:
    """The meeting whose 7/7 takes what lapsed: the first dated after the last day [D3].

    None while no such meeting is known.
    """
    return min((day for day in meeting_days if day > last_day), default=None)

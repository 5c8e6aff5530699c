"""Compute the days on which prizes are paid, claimed and lapse (14.III.8.1, 10.2, 10.7)."""

from collections.abc import Iterable
from datetime import date

from core.kernel.days import add_days


def first_pay_day(meeting_day: date, results_day: date) -> date:
    """Return the first day on which prizes may be paid, if the payment order is given [D5].

    `results_day` is the day on which the last result was established [D2]. The races of a meeting
    that was called off may be drawn before its day. Raises DayOutOfRange.
    """
    return add_days(max(meeting_day, results_day), 1)


def last_claim_day(
    meeting_day: date, results_day: date, claim_days: int, *, order_day: date | None = None
) -> date:
    """Return the last day on which a ticket may be presented [D1, D4, D7].

    It is `claim_days`, a figure of the regulation, after the latest of the meeting, the results and
    the day before `order_day`. An order on the day after the results, or earlier, leaves the last
    day where it is; a later order moves it, so that nobody has fewer days. Without `order_day` the
    order is taken to be given in time. Raises DayOutOfRange.
    """
    counted_from = max(meeting_day, results_day)
    if order_day is not None:
        counted_from = max(counted_from, add_days(order_day, -1))
    return add_days(counted_from, claim_days)


def receiving_meeting(last_day: date, meeting_days: Iterable[date]) -> date | None:
    """Return the day of the first meeting after `last_day`; its 7/7 takes what lapsed [D3].

    Return None if no such meeting is known yet.
    """
    return min((day for day in meeting_days if day > last_day), default=None)

"""Raise the alarms of Lototrot."""

import datetime

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.receipts.formats import format_cents
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.models.stops import SalesStop
from lototrot.selectors.breaches import breach_set, contests_with_breaches

CLOSING_LATE_AFTER = datetime.timedelta(minutes=1)
STOP_LATE_AFTER = datetime.timedelta(minutes=2)


def closings_overdue() -> list[AlarmRow]:
    """Return the contests whose closing has passed and that no worker has closed.

    Their sales have stopped: each sale compares the clock with the schedule (14.III.4).
    """
    unclosed = Contest.objects.filter(state__in=Contest.UNCLOSED)
    late = unclosed.filter(scheduled_close_at__lte=clock.now() - CLOSING_LATE_AFTER)
    return [AlarmRow(contest, contest.scheduled_close_at) for contest in late.order_by("pk")]


def breaches_pending() -> list[AlarmRow]:
    """Return the closed, settled and ordered contests with bets in breach not undone [C9, E10].

    No payment order is given meanwhile.
    """
    rows, language = [], get_language() or "ca"
    for contest in contests_with_breaches():
        breaches = breach_set(contest.pk)
        words = _("%(tickets)s tickets, %(amount)s: void them, or block them after the order") % {
            "tickets": breaches.tickets,
            "amount": format_cents(breaches.amount_cents, language),
        }
        rows.append(AlarmRow(contest, contest.closed_at or clock.now(), words=words))
    return rows


def stops_undecided() -> list[AlarmRow]:
    """Return the stops of sales that nobody confirmed or lifted within two minutes [E12]."""
    standing = SalesStop.objects.filter(ended_at=None).select_related("race", "meeting")
    late = standing.filter(stopped_at__lte=clock.now() - STOP_LATE_AFTER)
    return [
        AlarmRow(stop, stop.stopped_at, words=stop.source)
        for stop in late.order_by("stopped_at", "pk")
    ]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="lototrot_closing_overdue",
        title=_("A closing is not recorded: no worker runs"),
        power=powers.CLOSE_CONTEST,
        rows=closings_overdue,
    ),
    Alarm(
        code="lototrot_breach_pending",
        title=_("Bets in breach wait to be undone"),
        power=powers.UNDO_BREACH,
        rows=breaches_pending,
    ),
    Alarm(
        code="lototrot_sales_stopped",
        title=_("Sales are stopped: confirm the start, or lift the stop"),
        power=powers.STOP_SALES,
        rows=stops_undecided,
    ),
)

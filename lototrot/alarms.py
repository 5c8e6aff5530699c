"""Raise the alarms of Lototrot."""

import datetime

from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.kernel.days import natural_day
from core.receipts.document import present_language
from core.receipts.formats import format_cents, format_date
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.models.stops import SalesStop
from lototrot.selectors.breaches import breach_set, contests_with_breaches
from lototrot.selectors.settlement.unordered import chains_waiting, unordered
from lototrot.services.settlement.unprinted import unprinted_waiting

MOST_UNPRINTED = 200
CLOSING_LATE_AFTER = datetime.timedelta(minutes=1)
State = Contest.State
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
    rows, language = [], present_language()
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


def orders_missing() -> list[AlarmRow]:
    """Return the contests that could be paid today if their payment were ordered [D7].

    Players can present their tickets meanwhile. The days left are those to the ordinary last day;
    an order later than the day after the results moves it.
    """
    today = natural_day(clock.now())
    return [
        AlarmRow(
            each.contest,
            each.established_at,
            (each.ordinary_last_day - today).days,
            words=_("Settled; its payment is not ordered.")
            if each.contest.state == State.SETTLED
            else _("Its results are established; it is not settled."),
        )
        for each in unordered()
        if today >= each.first_pay_day
    ]


def chains_kept_waiting() -> list[AlarmRow]:
    """Return the contests that keep later meetings with results from being settled [A4, D7]."""
    today = natural_day(clock.now())
    language = present_language()
    rows = []
    for waiting in chains_waiting(unordered()):
        first = waiting.meetings[0]
        words = _("%(count)s meetings wait for it, the first of them that of %(day)s.") % {
            "count": len(waiting.meetings),
            "day": format_date(first.contest.day, language),
        }
        left = min((each.ordinary_last_day - today).days for each in waiting.meetings)
        rows.append(AlarmRow(waiting.blocker, first.established_at, left, words))
    return rows


def unprinted_tickets() -> list[AlarmRow]:
    """Return the tickets without a confirmed print that nobody has decided about, oldest first.

    Their contest is not settled before two persons void them or let them stand [E11].
    """
    waiting = unprinted_waiting().select_related("contest")[:MOST_UNPRINTED]
    return [
        AlarmRow(row, row.listed_at, words=f"{row.contest}, {row.ticket.terminal.code}")
        for row in waiting
    ]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="lototrot_closing_overdue",
        title=_("A closing is not recorded: no worker runs"),
        power=powers.CLOSE_CONTEST,
        rows=closings_overdue,
        immediate=True,
    ),
    Alarm(
        code="lototrot_breach_pending",
        title=_("Bets in breach wait to be undone"),
        power=powers.UNDO_BREACH,
        rows=breaches_pending,
    ),
    Alarm(
        code="lototrot_unprinted",
        title=_("Tickets without a confirmed print wait to be decided"),
        power=powers.DECIDE_UNPRINTED,
        rows=unprinted_tickets,
    ),
    Alarm(
        code="lototrot_sales_stopped",
        title=_("Sales are stopped: confirm the start, or lift the stop"),
        power=powers.STOP_SALES,
        rows=stops_undecided,
        immediate=True,
    ),
    Alarm(
        code="lototrot_order_missing",
        title=_("Results without a payment order"),
        power=powers.ORDER_PAYMENT,
        rows=orders_missing,
    ),
    Alarm(
        code="lototrot_chain_waiting",
        title=_("A meeting keeps later ones from being settled"),
        power=powers.REQUEST_SETTLEMENT,
        rows=chains_kept_waiting,
    ),
)

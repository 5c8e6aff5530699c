"""Raise the alarms of Lototrot."""

import datetime

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.receipts.formats import format_cents
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.selectors.breaches import breach_set, contests_with_breaches

CLOSING_LATE_AFTER = datetime.timedelta(minutes=1)


def closings_overdue() -> list[AlarmRow]:
    """Return the contests whose closing has passed and that no worker has closed.

    Their sales have stopped: each sale compares the clock with the schedule (14.III.4).
    """
    open_contests = Contest.objects.filter(state=Contest.State.OPEN)
    late = open_contests.filter(scheduled_close_at__lte=clock.now() - CLOSING_LATE_AFTER)
    return [AlarmRow(contest, contest.scheduled_close_at) for contest in late.order_by("pk")]


def breaches_pending() -> list[AlarmRow]:
    """Return the closed, settled and ordered contests with bets in breach not undone [C9, E10].

    No payment order is given meanwhile.
    """
    rows, language = [], get_language() or "ca"
    for contest in contests_with_breaches():
        found = breach_set(contest.pk)
        words = _("%(tickets)s tickets, %(amount)s: void them, or block them after the order") % {
            "tickets": found.tickets,
            "amount": format_cents(found.amount_cents, language),
        }
        rows.append(AlarmRow(contest, contest.closed_at or clock.now(), words=words))
    return rows


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
)

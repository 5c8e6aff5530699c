"""Raise the alarms of Lototrot."""

import datetime

from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from lototrot import powers
from lototrot.models.contest import Contest

CLOSING_LATE_AFTER = datetime.timedelta(minutes=1)


def closings_overdue() -> list[AlarmRow]:
    """Return the contests whose closing has passed and that no worker has closed.

    Their sales have stopped: each sale compares the clock with the schedule (14.III.4).
    """
    open_contests = Contest.objects.filter(state=Contest.State.OPEN)
    late = open_contests.filter(scheduled_close_at__lte=clock.now() - CLOSING_LATE_AFTER)
    return [AlarmRow(contest, contest.scheduled_close_at) for contest in late.order_by("pk")]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="lototrot_closing_overdue",
        title=_("A closing is not recorded: no worker runs"),
        power=powers.CLOSE_CONTEST,
        rows=closings_overdue,
    ),
)

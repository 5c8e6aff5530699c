"""Raise an alarm while rows stay in the live store for longer than the settings say."""

from django.utils.translation import gettext, gettext_lazy

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.kernel.days import day_bounds, natural_day
from core.periods import powers
from core.periods.retention import tickets_over


def retirements_due() -> list[AlarmRow]:
    """Return the months whose rows should have left the live store."""
    words = gettext("Close the month, archive it, and retire its rows.")
    return [
        AlarmRow(over.month, day_bounds(over.since)[0], words=words)
        for over in tickets_over(natural_day(clock.now()))
    ]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="period_retirement_due",
        title=gettext_lazy("Rows of an old month are still in the live store"),
        power=powers.RETIRE,
        rows=retirements_due,
    ),
)

"""Raise an alarm for nightly jobs that failed or were missed."""

from collections.abc import Callable, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from core.alarms.kinds import Alarm, AlarmRow
from core.kernel.days import day_bounds
from core.nights import powers
from core.nights.selectors import Due, undone


def _undone_that(applies: Callable[[Due], bool]) -> Callable[[], Sequence[AlarmRow]]:
    return lambda: [_row(due) for due in undone() if applies(due)]


def _row(due: Due) -> AlarmRow:
    subject: Any = due.run or f"{due.day} {due.job.name}"
    words = due.run.error[:200] if due.run else ""
    return AlarmRow(subject, day_bounds(due.day)[1], words=words or due.job.title)


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="night_job_failed",
        title=_("A job of a night failed"),
        power=powers.RUN,
        rows=_undone_that(lambda due: due.failed),
    ),
    Alarm(
        code="night_job_missed",
        title=_("A job of a night was missed"),
        power=powers.RUN,
        rows=_undone_that(lambda due: due.missed and not due.failed),
    ),
)

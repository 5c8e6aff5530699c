"""Contribute the job that lists, every night, the alarms that nobody has dealt with.

It asks what stands, so it runs once after several nights without it.
"""

from datetime import date

from django.utils.translation import gettext_lazy as _

from core.alarms.selectors import standing
from core.nights.jobs import Job, Outcome


def unanswered(day: date) -> Outcome:
    """List the rows of every alarm, and count them by code."""
    rows = standing()
    counts: dict[str, int] = {}
    for waiting in rows:
        counts[waiting.alarm.code] = counts.get(waiting.alarm.code, 0) + 1
    listed = [
        {
            "code": waiting.alarm.code,
            "subject": str(waiting.row.subject),
            "since": waiting.row.since.isoformat(),
            "days_left": waiting.row.days_left,
            "words": str(waiting.row.words),
        }
        for waiting in rows
    ]
    return Outcome(counts, {"alarms": listed} if listed else {})


JOBS: tuple[Job, ...] = (
    Job(
        name="alarms.list",
        title=_("Alarms not dealt with"),
        order=95,
        run=unanswered,
        recounts=True,
    ),
)

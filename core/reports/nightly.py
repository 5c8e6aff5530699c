"""List the nightly job of reports: those that were ordered by mail are sent."""

import datetime

from django.utils.translation import gettext_lazy as _

from core.nights.jobs import Job, Outcome
from core.reports.mailing import mails_send


def mails(day: datetime.date) -> Outcome:
    """Send the reports of the periods that end with the day. Each mail is committed by itself."""
    return Outcome(mails_send(day))


JOBS: tuple[Job, ...] = (
    Job(name="reports.mail", title=_("Reports by mail"), order=95, run=mails, whole=False),
)

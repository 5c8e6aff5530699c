"""Raise an alarm while nobody knows whether a report that was ordered by mail went out."""

import datetime

from django.utils.translation import gettext, gettext_lazy

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.reports import powers
from core.reports.models import ReportMail

LONGEST = datetime.timedelta(hours=1)
"""A mail that is called being sent for longer was cut off, or the server has hung for as long."""


def mails_cut_off() -> list[AlarmRow]:
    """Return the orders with a mail that is called being sent for too long, the oldest first."""
    late = ReportMail.objects.filter(
        state=ReportMail.State.SENDING, begun_at__lt=clock.now() - LONGEST
    )
    words = gettext("Ask at the address whether the mail of %(day)s arrived, and say so here.")
    return [
        AlarmRow(mail.order, mail.begun_at, words=words % {"day": f"{mail.last_day:%d/%m/%Y}"})
        for mail in late.select_related("order").order_by("pk")
    ]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="report_mail_cut_off",
        title=gettext_lazy("Nobody knows whether a report went out by mail"),
        power=powers.READ,
        rows=mails_cut_off,
    ),
)

"""Raise an alarm while a receiver of the public log lacks entries."""

import datetime

from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.proofs import powers
from core.proofs.models import LogEntry, Receiver

LAGS_AFTER = datetime.timedelta(minutes=15)


def receivers_lagging() -> list[AlarmRow]:
    """Return each configured receiver that has lacked an entry for LAGS_AFTER, with its error."""
    rows = []
    for address in settings.LOG_RECEIVERS:
        receiver = Receiver.objects.filter(address=address).first()
        delivered = receiver.delivered_sequence if receiver else 0
        lacking = LogEntry.objects.filter(sequence__gt=delivered).order_by("sequence").first()
        if lacking is None or clock.real_age(lacking.at) <= LAGS_AFTER:
            continue
        error = (receiver.last_error if receiver else "") or gettext("It was never tried.")
        words = gettext("Entries from %(n)s on: %(error)s") % {
            "n": lacking.sequence,
            "error": error,
        }
        rows.append(AlarmRow(receiver or address, lacking.at, words=words))
    return rows


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="proofs_receiver_lagging",
        title=gettext_lazy("A receiver lacks entries of the public log"),
        power=powers.WATCH,
        rows=receivers_lagging,
    ),
)

"""Raise an alarm while a receiver of the public log lacks entries, or has others."""

import datetime
from typing import cast

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
        is_disputed = receiver is not None and receiver.disputed_sequence is not None
        if lacking is None or is_disputed or clock.real_age(lacking.at) <= LAGS_AFTER:
            continue
        error = (receiver.last_error if receiver else "") or gettext("It was never tried.")
        words = gettext("Entries from %(n)s on: %(error)s") % {
            "n": lacking.sequence,
            "error": error,
        }
        rows.append(AlarmRow(receiver or address, lacking.at, words=words))
    return rows


def receivers_disputing() -> list[AlarmRow]:
    """Return each configured receiver that has another entry than this log, at once."""
    rows = []
    disputing = Receiver.objects.filter(
        address__in=settings.LOG_RECEIVERS, disputed_sequence__isnull=False
    )
    for receiver in disputing.order_by("pk"):
        entry = LogEntry.objects.get(sequence=cast("int", receiver.disputed_sequence))
        words = gettext(
            "It has another entry %(n)s: this database was restored to an earlier time, or the log"
            " was rewritten."
        ) % {"n": entry.sequence}
        rows.append(AlarmRow(receiver, entry.at, words=words))
    return rows


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="proofs_two_logs",
        title=gettext_lazy("A receiver has another public log"),
        power=powers.WATCH,
        rows=receivers_disputing,
        immediate=True,
    ),
    Alarm(
        code="proofs_receiver_lagging",
        title=gettext_lazy("A receiver lacks entries of the public log"),
        power=powers.WATCH,
        rows=receivers_lagging,
    ),
)

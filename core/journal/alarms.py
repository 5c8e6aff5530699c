"""Raise alarms while history is not sealed, or its checkpoints do not come."""

import datetime

from django.utils.translation import gettext, gettext_lazy

from core.alarms.kinds import Alarm, AlarmRow
from core.database import clock
from core.journal.models import Batch
from core.journal.services import CHECKPOINT, CHECKPOINT_EVERY, oldest_unsealed
from core.proofs import powers
from core.proofs.models import LogEntry

UNSEALED_AFTER = datetime.timedelta(minutes=5)
CHECKPOINT_LATE = CHECKPOINT_EVERY + datetime.timedelta(minutes=15)


def unsealed() -> list[AlarmRow]:
    """Return the oldest act in no batch, if it ended long ago: its rows can still be changed."""
    act = oldest_unsealed()
    if act is None or clock.real_age(act.at) <= UNSEALED_AFTER:
        return []
    return [AlarmRow(act, act.at, words=gettext("Nothing that was done since is sealed."))]


def checkpoint_late() -> list[AlarmRow]:
    """Return the oldest batch without a checkpoint, if it has waited for longer than an hour."""
    newest = LogEntry.objects.filter(kind=CHECKPOINT).order_by("-sequence").first()
    number = newest.document["batch"] if newest else 0
    waiting = Batch.objects.filter(number__gt=number).order_by("number").first()
    if waiting is None or clock.real_age(waiting.sealed_at) <= CHECKPOINT_LATE:
        return []
    words = gettext("What was sealed since can be rewritten by who holds the keys.")
    return [AlarmRow(waiting, waiting.sealed_at, words=words)]


ALARMS: tuple[Alarm, ...] = (
    Alarm(
        code="journal_unsealed",
        title=gettext_lazy("The journal is not sealed"),
        power=powers.WATCH,
        rows=unsealed,
    ),
    Alarm(
        code="journal_checkpoint_late",
        title=gettext_lazy("The journal has no checkpoint"),
        power=powers.WATCH,
        rows=checkpoint_late,
    ),
)

"""Return the windows of meetings [B15]."""

from lototrot.engine.jornada import Jornada
from lototrot.models.programme import Meeting


def jornada_of(meeting: Meeting) -> Jornada:
    """Return the day of a meeting and the window in which its races can have started."""
    return Jornada(meeting.day, meeting.begins_at, meeting.ends_at)

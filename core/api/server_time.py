"""The system's clock as shown on every answer, without a query for each.

The database is asked once a second; between, this process's monotonic clock carries on from there.
"""

import datetime
import time

from django.db import DatabaseError, connection
from django.http import HttpResponseBase
from django.utils.duration import duration_iso_string

from core.api.shapes import utc_text

TIME_HEADER = "X-Server-Time"
SIMULATED_HEADER = "X-Simulated-Time"
_KEPT_S = 1.0
_QUERY = 'SELECT core_now(), (SELECT "offset" FROM database_clockoffset ORDER BY id DESC LIMIT 1)'


class _Reading:
    """The last answer, replaced whole: threads need no lock, either of two answers is right.

    `latest` is the monotonic time of asking, the answer, and the header of a simulated offset.
    """

    latest: tuple[float, datetime.datetime, str] | None = None


def forget() -> None:
    """Ask again at the next answer: the clock has just been moved."""
    _Reading.latest = None


def stamp(response: HttpResponseBase) -> None:
    """Put the clock's headers on a response; none while the database cannot be asked."""
    monotonic = time.monotonic()
    known = _Reading.latest
    if known is None or monotonic - known[0] >= _KEPT_S:
        if known is not None:  # one asks; meanwhile the others go on by what is known
            passed = datetime.timedelta(seconds=monotonic - known[0])
            _Reading.latest = (monotonic, known[1] + passed, known[2])
        try:
            _Reading.latest = known = _ask(monotonic)
        except DatabaseError:
            forget()
            return
    asked, answer, simulated = known
    response[TIME_HEADER] = utc_text(answer + datetime.timedelta(seconds=monotonic - asked))
    if simulated:
        response[SIMULATED_HEADER] = simulated


def _ask(monotonic: float) -> tuple[float, datetime.datetime, str]:
    with connection.cursor() as cursor:
        cursor.execute(_QUERY)
        now, offset = cursor.fetchone()
    return monotonic, now, f"+{duration_iso_string(offset)}" if offset else ""

"""Limit how long a statement may take, so that a long reader is answered and ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.conf import settings
from django.db import OperationalError, connection
from psycopg.pq import TransactionStatus

from core.database.reading.asking import fetch_value
from core.kernel.errors import Conflict

CANCELLED: Final = "57014"
"""The state of a statement that took too long, or that a person cancelled."""
# One question: what holds now, and what holds from now on.
_SET: Final = """
SELECT current_setting('statement_timeout'), set_config('statement_timeout', %s, false)
"""


class ReadingTooLong(Conflict):
    code = "reading_too_long"
    message = "This takes too long to read. Ask for less, for example for a shorter period."


@contextmanager
def limited(seconds: float | None = None) -> Iterator[None]:
    """Let no statement of a block take longer (default: READING_LIMIT_S). Raises ReadingTooLong.

    The block may be within a transaction, and may have limits of its own within it.
    """
    longest_s = settings.READING_LIMIT_S if seconds is None else seconds
    before = fetch_value(_SET, [f"{int(longest_s * 1000)}ms"])
    try:
        yield
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", None) == CANCELLED:
            raise ReadingTooLong from error
        raise
    finally:
        _restore(before)


def _restore(before: str) -> None:
    """Restore the session's limit, unless the session or the transaction is lost with its limit."""
    session = connection.connection
    if session is None or session.closed or connection.needs_rollback:
        return
    if session.info.transaction_status == TransactionStatus.INERROR:
        return
    with connection.cursor() as cursor:
        cursor.execute(_SET, [before])

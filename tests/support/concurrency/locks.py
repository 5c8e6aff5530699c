"""Read from captured queries which advisory locks a transaction asked for."""

import re

from django.test.utils import CaptureQueriesContext

_LOCK = re.compile(r"SELECT pg_advisory_xact_lock\((-?\d+), (\d+)\)")


def locks_of(queries: CaptureQueriesContext) -> list[tuple[int, int]]:
    """Return space and key of each lock, in the order in which they were asked for.

    Those that a function of the database takes are not among them.
    """
    taken = (_LOCK.match(query["sql"]) for query in queries)
    return [(int(lock[1]), int(lock[2])) for lock in taken if lock]

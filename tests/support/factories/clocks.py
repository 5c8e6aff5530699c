"""Set the server's clock wrong, and watch it, in a database of a test's own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta

from django.db import connections
from django.test import override_settings

from core.database.guards import app_role, grant_sql, guarded_models
from core.database.sql_files import function_sql
from core.timekeeping import references
from core.timekeeping.guard import beat
from core.timekeeping.references import Sample
from tests.support.databases import clock_ahead_sql

_NO_GUARD = """
CREATE OR REPLACE FUNCTION core_clock_unsound() RETURNS TABLE (unsound boolean)
LANGUAGE sql STABLE ROWS 1 AS $$ SELECT false $$
"""


@contextmanager
def server_clock_off(by: timedelta, *, guard: bool = True) -> Iterator[None]:
    """Set the clock of the database's server wrong by a length of time, for every session.

    It is not simulated time: the machines' clocks stay right. The owner of the database replaces
    the function that reads the clock; production starts on no such database. Use `own_database`.
    Without `guard` sales do not ask whether the clock is right: the twin that shows why they do.
    """
    server_clock_steps(by)
    if not guard:
        _as_owner(_NO_GUARD)
    try:
        yield
    finally:
        use_the_machines_clock()


def server_clock_steps(by: timedelta) -> None:
    """Set the server's clock that far from the machine's; `server_clock_off` puts it right."""
    _as_owner(clock_ahead_sql(by))


def use_the_machines_clock() -> None:
    """Make the server's clock the machine's, as `migrate` writes it: not ten in the morning."""
    (functions,) = (text for text in function_sql() if "core_server_clock() RETURNS" in text)
    _as_owner(functions)


def watched(kinds: Sequence[str] = ("machine", "receiver")) -> None:
    """Compare the server's clock once with a reference of each kind that is right."""
    right = references.machine()
    samples = [
        Sample(kind, "test", right.ahead_of_monotonic_s, 0.0, right.taken_s) for kind in kinds
    ]
    beat(samples)


def clock_given_up() -> None:
    """Take the right to move the clock from the application, as a migration in production does."""
    model = next(model for model in guarded_models() if model.__name__ == "ClockOffset")
    role = app_role()
    assert role is not None
    with override_settings(PRODUCTION=True):
        for statement in grant_sql(model, role):
            _as_owner(statement)


def _as_owner(statement: str) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute(statement)

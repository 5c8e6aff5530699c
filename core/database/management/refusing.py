"""Say in one sentence why a process does not start."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, ProgrammingError

# What libpq says where the server answers and does not let this process in, or there is none.
_REFUSALS: Final = (
    ("password authentication failed", "the database refuses the password or role of its URL"),
    (
        "certificate",
        "the database is not believed: its certificate must not have ended, and must name"
        " the host of the URL, and sslrootcert the file of its authority",
    ),
    (
        "no pg_hba.conf entry",
        "the database lets this machine in by no line of pg_hba.conf; it may"
        " want TLS (sslmode=verify-full)",
    ),
    (
        "resolve host",
        "the name of the database's host has no address here; look at the URL and DNS",
    ),
    ("too many", "the database has no session left; end what hangs, or raise max_connections"),
    (
        "remaining connection slots",
        "the database has no session left; end what hangs, or raise max_connections",
    ),
    ('" does not exist', "the server has no such database or role; look at the URL"),
    ("starting up", "the database is starting: wait"),
    ("refused", "the database does not answer: start it, or look at host and port of the URL"),
)


@contextmanager
def in_a_sentence() -> Iterator[None]:
    """End the process with a sentence, without a trace, where it is refused at its start.

    That is a setting that could not work (ImproperlyConfigured), or a database that does not answer
    or is not migrated. Any other error is a fault of the program and keeps its trace.
    """
    try:
        yield
    except (ImproperlyConfigured, DatabaseError) as fault:
        raise SystemExit(f"refused to start: {sentence(fault)}") from None


def sentence(fault: Exception) -> str:
    """Return an error of the start in words, on one line."""
    text = " ".join(str(fault).split())
    if isinstance(fault, ImproperlyConfigured):
        return text
    if isinstance(fault, ProgrammingError):
        return (
            "the database is not migrated for this program, or this role lacks a right; run"
            f" migrate: {text}"
        )
    if "read-only" in text:
        return (
            "the database takes no writes: it is a standby, or was made read-only; name the one"
            f" that takes them in DATABASE_URL, or end what made it read-only: {text}"
        )
    why = next((why for word, why in _REFUSALS if word in text), "the database does not answer")
    return f"{why}: {text}"

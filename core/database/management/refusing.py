"""Say in one sentence why a process does not start."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, ProgrammingError


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
    return f"the database does not answer: {text}"

"""A process that is refused at its start says why in one sentence."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, ProgrammingError

from core.database.management.refusing import in_a_sentence


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (ImproperlyConfigured("production needs X"), "refused to start: production needs X"),
        (OperationalError("gone\n  away"), "the database does not answer: gone away"),
        (
            OperationalError("FATAL: password authentication failed"),
            "the database refuses the pass",
        ),
        (
            OperationalError("SSL error: certificate verify failed"),
            "the database is not believed: ",
        ),
        (OperationalError('FATAL: database "x" does not exist'), "no such database or role; look"),
        (OperationalError("failed: session is read-only"), "the database takes no writes: it is a"),
        (ProgrammingError("no table"), "or this role lacks a right; run migrate: no table"),
    ],
)
def test_a_refusal_is_one_line_without_a_trace(fault: Exception, words: str) -> None:
    with pytest.raises(SystemExit) as end, in_a_sentence():
        raise fault
    assert words in str(end.value)
    assert "\n" not in str(end.value)
    assert end.value.__suppress_context__


def test_a_fault_of_the_program_keeps_its_trace() -> None:
    with pytest.raises(ZeroDivisionError), in_a_sentence():
        raise ZeroDivisionError

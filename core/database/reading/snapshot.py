"""Read the database for as long as needed, without blocking others, as all long readers do."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection, transaction

READER: Final = "only reading"
"""The name of a session while it is in such a transaction, which can write nothing."""


@contextmanager
def only_reading() -> Iterator[None]:
    """Open a read-only transaction; each statement sees what is committed when it begins.

    `wait_for_quiet` does not wait for it. For what need not be of one instant: old rows can be
    cleaned up meanwhile, which a `snapshot` of hours forbids. Within another transaction, which may
    write and is waited for, it changes nothing.
    """
    if connection.in_atomic_block:
        yield
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.execute(f"SET LOCAL application_name = '{READER}'")
        yield


@contextmanager
def snapshot() -> Iterator[None]:
    """Open a read-only transaction that sees one instant. It cannot stand within another one.

    `wait_for_quiet` does not wait for it, so that a long one does not keep the nights.
    """
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SET LOCAL jit = off")
        cursor.execute(f"SET LOCAL application_name = '{READER}'")
        yield
